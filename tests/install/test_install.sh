#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a user finds after `meson install`: tests/install/test_install.sh PREFIX (as given to `meson setup --prefix`)
set -u
prefix=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
passed=0
failed=0

check() { # sentence command...
    sentence=$1
    shift
    if "$@" >/dev/null 2>&1; then
        passed=$((passed + 1))
    else
        echo "failed: $sentence"
        failed=$((failed + 1))
    fi
}

same() { # text expected
    test "$1" = "$2" || {
        echo "'$1' is not '$2'" >&2
        return 1
    }
}

pc=$(find "$prefix" -name roofline.pc)
library=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$library/pkgconfig
export PKG_CONFIG_PATH
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cd "$outside" || exit 1
unset LD_LIBRARY_PATH

words() { echo "$@"; } # pkg-config ends its line with a blank
check "pkg-config gives the folders and -lroofline, nothing more" \
    same "$(words $(pkg-config --cflags --libs roofline))" "-I$prefix/include -L$library -lroofline"
check "pkg-config --static adds cJSON and libm" \
    same "$(words $(pkg-config --static --libs roofline))" "-L$library -lroofline -lcjson -lm"
check "the library is found by its ABI number" \
    sh -c "readelf -d '$library/libroofline.so' | grep -q 'SONAME.*\[libroofline.so.0\]'"
check "the program of the header compiles as C11 with pkg-config alone" \
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$tests/install/client.c" \
    $(pkg-config --cflags --libs roofline) -Wl,-rpath,"$library" -o client
./client "$tests/data/models/meta-llama__Llama-3.1-8B.json" >output
# By hand: 15.0 GB of matrices and 8 x 8192 x 131072 bytes of KV at 3.35 TB/s are 7.04 ms.
check "and runs: 7.0 ms for 8 sequences of 8192" grep -Eq '^7\.0[0-9]* ms, 11[0-9]{2} tokens/s$' output
check "it links against the C library, libm, cJSON and libroofline only" \
    same "$(ldd client | sed -E 's/^[[:space:]]*([^ .]*).*/\1/' | sort | tr '\n' ' ')" \
    "/lib64/ld-linux-x86-64 libc libcjson libm libroofline linux-vdso "
check "the command runs where it is installed" env LD_LIBRARY_PATH="$library" "$prefix/bin/roofline" --version
check "the manual page is there" grep -q '^\.TH' "$prefix/share/man/man1/roofline.1"
check "bash reads the completion" bash -n "$prefix/share/bash-completion/completions/roofline.bash"
check "the completion completes roofline" \
    sh -c "bash -c '. $prefix/share/bash-completion/completions/roofline.bash; complete -p roofline'"

echo "$passed passed, $failed failed"
test $failed -eq 0
