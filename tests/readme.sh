#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs of README.md against an installed library: bash tests/readme.sh PREFIX c|python|go|rust
set -u
prefix=$1
language=$2
readme=$(cd "$(dirname "$0")/.." && pwd)/README.md
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name roofline.pc)")
libraries=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=$libraries
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# The first fenced block of the language.
program() { awk -v fence="\`\`\`$language" '$0 == "```" { if (inside) exit } inside; $0 == fence { inside = 1 }' "$readme"; }

case $language in
c)
    program >program.c
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror program.c $(pkg-config --cflags --libs roofline) -o program && ./program
    ;;
python) program | python3 - ;;
go)
    program >program.go
    go run program.go
    ;;
rust)
    program >program.rs
    rustc --edition 2021 -D warnings -L "native=$libraries" program.rs -o program && ./program
    ;;
esac >output || { echo "0 passed, 1 failed"; exit 1; }
cat output
# By hand: 989.4e12 / 3.35e12 FLOP/byte; 15.0 GB of matrices and 8.6 GB of KV cache at 3.35 TB/s.
grep -Eqx '295\.3 FLOP/byte|7\.0[0-9]{2} ms, 11[0-9]{2} tokens/s' output || { echo "0 passed, 1 failed"; exit 1; }
echo "1 passed, 0 failed"
