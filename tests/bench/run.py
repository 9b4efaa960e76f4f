#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks: times, and with valgrind the instructions and allocations of one call.

Times on a shared machine are noisy; instructions are not. Both come from the same binary: a case runs N and 2 N times
and the difference is what N calls cost, so that start-up does not count.

usage: run.py BUILD_FOLDER [--quick]     (--quick: few calls under valgrind, for a test run)
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Case, and calls that are counted under valgrind (N; the second run makes 2 N).
COUNTED = {
    "step-dense": 4096,
    "step-windowed": 4096,
    "step-experts": 4096,
    "step-eight-groups": 2048,
    "many-time-only": 8192,
    "many-four-quantities": 8192,
    "bound": 4096,
    "memory": 4096,
    "plan": 64,
    "read-config": 64,
    "open-device": 64,
}
# Calls that a request path makes: not one allocation is allowed.
WITHOUT_ALLOCATION = {name for name in COUNTED if name not in {"plan", "read-config", "open-device"}}


def run(command: list[str]) -> str:
    """Standard error of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stderr


def instructions(binary: str, config: str, case: str, count: int) -> int:
    """Instructions that callgrind counts for the whole program."""
    with tempfile.TemporaryDirectory() as folder:
        text = run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", binary, config, case, str(count)]
        )
    found = re.search(r"Collected : (\d+)", text)
    if not found:
        sys.exit(f"callgrind printed no count:\n{text}")
    return int(found.group(1))


def allocations(binary: str, config: str, case: str, count: int) -> int:
    """Calls of malloc and its kin that memcheck counts for the whole program."""
    text = run(["valgrind", "--leak-check=full", "--error-exitcode=9", binary, config, case, str(count)])
    found = re.search(r"total heap usage: ([\d,]+) allocs", text)
    if not found:
        sys.exit(f"memcheck printed no count:\n{text}")
    return int(found.group(1).replace(",", ""))


def counts(binary: str, config: str, quick: bool) -> int:
    """Prints the table of counts; the number of cases that allocate where they must not."""
    print(f"\n{'case':<22} {'instructions a call':>20} {'allocations a call':>20}")
    failed = 0
    for case, full in COUNTED.items():
        count = full // 8 if quick and full > 64 else full
        per_call = [
            (measure(binary, config, case, 2 * count) - measure(binary, config, case, count)) / count
            for measure in (instructions, allocations)
        ]
        allowed = case not in WITHOUT_ALLOCATION or per_call[1] == 0
        failed += not allowed
        print(
            f"{case:<22} {per_call[0]:>20.1f} {per_call[1]:>20.2f}{'' if allowed else '   must not allocate'}",
            flush=True,
        )
    return failed


def library_size(build: pathlib.Path) -> None:
    """Size of the library without symbols, against its target."""
    library = next(build.glob("libroofline/libroofline.so.*[0-9]"))
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped.so"
        run(["strip", "-o", str(stripped), str(library)])
        print(f"\nlibrary stripped: {stripped.stat().st_size / 1024:.0f} KiB (target 400 KiB)")


def main() -> int:
    """The program."""
    arguments = [word for word in sys.argv[1:] if word != "--quick"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0])
    config = str(pathlib.Path(__file__).parent.parent / "data/models/meta-llama__Llama-3.1-8B.json")
    binary = str(build / "tests/bench/bench_step")
    print(subprocess.run([binary, config], capture_output=True, text=True, check=True).stdout, end="")
    other = build / "tests/bench/bench_json"
    if other.exists():
        print("\n" + subprocess.run([str(other)], capture_output=True, text=True, check=True).stdout, end="")
    library_size(build)
    if not shutil.which("valgrind"):
        print(
            "valgrind is not installed: no instruction counts. Install it (apt-get install valgrind).", file=sys.stderr
        )
        return 2
    failed = counts(binary, config, "--quick" in sys.argv)
    print(f"{len(COUNTED) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
