#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the shared library gives and takes: tests/check_symbols.py LIBROOFLINE_SO ROOFLINE_H

Gives: exactly the functions that the header declares. Takes: only functions of the list below, so that nothing in it
ends the process, writes to the terminal, reads the environment, changes the process's locale, or rounds differently on
another machine (pow, exp, log).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ALLOWED = {
    # memory and text
    "malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "strlen",
    "strnlen", "strcmp", "strncmp", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strcpy", "strncat",
    "qsort", "bsearch",
    # numbers as text, and the guard that keeps the locale out of them
    "snprintf", "vsnprintf", "strtod", "localeconv", "newlocale", "uselocale", "freelocale",
    # reading a file
    "fopen", "fopen64", "fclose", "fread", "ferror", "feof", "__errno_location",
    # exact arithmetic
    "sqrt", "fabs", "floor", "ceil", "fmin", "fmax",
    # cJSON's parser; its printer, its look-up and its global error are not used
    "cJSON_ParseWithLengthOpts", "cJSON_Delete", "cJSON_IsArray", "cJSON_IsBool", "cJSON_IsNull", "cJSON_IsNumber",
    "cJSON_IsObject", "cJSON_IsString", "cJSON_IsTrue",
    # what compilers add
    "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable",
    "__stack_chk_fail",
}  # fmt: skip


def symbols(library: str, which: str) -> set[str]:
    """Names without their version ("roofline_step@@ROOFLINE_0"); absolute ones name the version itself."""
    command = ["nm", "-D", which, library]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def declared(header: str) -> set[str]:
    text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"^ROOFLINE_API [^;(]*?\b(roofline_\w+)\(", text, flags=re.MULTILINE))


def plain(name: str) -> str:
    """_FORTIFY_SOURCE turns snprintf into __snprintf_chk."""
    return re.sub(r"^__(\w+)_chk$", r"\1", name)


def main() -> int:
    library, header = sys.argv[1:]
    exported, promised = symbols(library, "--defined-only"), declared(header)
    complaints = [f"declared but not exported: {name}" for name in sorted(promised - exported)]
    complaints += [f"exported but not declared: {name}" for name in sorted(exported - promised)]
    needed = symbols(library, "--undefined-only")
    complaints += [f"not allowed: {name}" for name in sorted(needed) if not {name, plain(name)} & ALLOWED]
    for complaint in complaints:
        print(complaint)
    checked = len(exported | promised) + len(needed)
    print(f"{checked - len(complaints)} passed, {len(complaints)} failed")
    return 1 if complaints or not promised else 0


if __name__ == "__main__":
    sys.exit(main())
