# SPDX-License-Identifier: Apache-2.0
"""docs/theory.md has a row for every field of every result struct, and every test that it names exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STRUCTS = (
    "bound_result",
    "compose_result",
    "gemm_result",
    "crossover_result",
    "attention_result",
    "step_result",
    "kernel",
    "memory_result",
    "model_info_result",
    "plan_info_result",
)


def struct_fields(header: str, struct: str) -> list[str]:
    body = re.search(rf"typedef struct roofline_{struct} \{{(.*?)\n\}}", header, re.DOTALL)
    if body is None:
        return [f"roofline_{struct} is not in the header"]
    without_comments = re.sub(r"/\*.*?\*/", "", body[1], flags=re.DOTALL)
    fields = re.findall(r"(\w+)(?:\[\d+\])?;", without_comments)
    return [field for field in fields if field not in ("struct_size", "padding")]


def rows_of(theory: str, struct: str) -> str:
    """First cells of the tables under the heading that names the struct."""
    sections = re.split(r"^## ", theory, flags=re.MULTILINE)
    named = (section for section in sections if f"`roofline_{struct}`" in section.partition("\n")[0])
    return " ".join(cell for section in named for cell in re.findall(r"^\|([^|]*)\|", section, re.MULTILINE))


def main() -> int:
    header = (ROOT / "include" / "roofline.h").read_text(encoding="utf-8")
    theory = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.c"))
    checks = {
        f"a row for roofline_{struct}.{field}": re.search(rf"\b{field}\b", rows_of(theory, struct)) is not None
        for struct in STRUCTS
        for field in struct_fields(header, struct)
    }
    # Names of tests are words of four parts and more that are no field or function of the header.
    for word in set(re.findall(r"\b[a-z]+(?:_[a-z0-9]+){3,}\b", theory)) - set(re.findall(r"\w+", header)):
        checks[f"a test {word}"] = f"START_TEST({word})" in sources
    missing = [what for what, found in checks.items() if not found]
    for what in missing:
        print(f"missing: {what}")
    print(f"{len(checks) - len(missing)} passed, {len(missing)} failed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
