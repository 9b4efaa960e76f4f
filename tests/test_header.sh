#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The public header alone, without warnings, as every language that includes it: tests/test_header.sh INCLUDE_FOLDER
set -u
include=$1
passed=0
failed=0

compile() { # compiler language standard
    if ! command -v "$1" >/dev/null; then
        echo "$1 is missing: apt-get install g++ clang"
        failed=$((failed + 1))
    elif echo '#include "roofline.h"' |
        "$1" -x "$2" "-std=$3" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I"$include" -; then
        passed=$((passed + 1))
    else
        echo "$1 -std=$3 refuses the header"
        failed=$((failed + 1))
    fi
}

for compiler in gcc clang; do
    compile $compiler c c99
    compile $compiler c c11
done
compile g++ c++ c++17
compile clang++ c++ c++17

echo "$passed passed, $failed failed"
test $failed -eq 0
