#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# sanitize_json.sh FOLDER
#
# The JSON suites where they are hardest to pass: in a locale with a decimal comma, against the packaged cJSON and
# against one without ENABLE_LOCALES, under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer. Each
# instrument is first shown to see the trap that it is there for. Builds in FOLDER and changes nothing outside it.
# Needs gcc, pkg-config, check, libcjson-dev, dpkg-dev (dpkg-source) and locales (localedef).
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 FOLDER" >&2
    exit 2
fi
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
passed=0
export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-5}" # sanitizers are slow, ThreadSanitizer most of all
sources="libroofline/json*.c libroofline/file.c libroofline/utf8.c libroofline/error.c libroofline/structs.c
    libroofline/layout.c"

stop() {
    echo "$0: $1" >&2
    echo "$passed passed, 1 failed"
    exit 1
}

# build PROGRAM CJSON FLAG...: CJSON is "packaged" or the folder of one from source.
build() {
    program=$1 cjson=$2
    shift 2
    [ "$cjson" = packaged ] || export PKG_CONFIG_PATH="$cjson/lib/pkgconfig"
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O1 -g -pthread "$@" -Iinclude -Ilibroofline "tests/$program.c" $sources -o "$folder/$program" \
        $(pkg-config --cflags --libs libcjson check) -lm || stop "$program does not build"
    unset PKG_CONFIG_PATH
}

# run NAME COMMAND...
run() {
    name=$1
    shift
    echo "== $name"
    "$@" || stop "$name"
    passed=$((passed + 1))
}

comma() {
    env LOCPATH="$folder/locale" LC_ALL=de_DE.UTF-8 TEST_DECIMAL_POINT=, "$@"
}

point() {
    env LC_ALL=C "$@"
}

# A locale for this run alone: LOCPATH finds it, the system's own list stays as it is.
make_locale() {
    command -v localedef > /dev/null || stop "localedef is missing; install libc-bin"
    mkdir -p "$folder/locale"
    [ -d "$folder/locale/de_DE.UTF-8" ] || localedef -i de_DE -f UTF-8 "$folder/locale/de_DE.UTF-8" ||
        stop "the locale's source is missing; install locales"
}

# A cJSON without ENABLE_LOCALES reads 989.5 as 989 in that locale.
build_trap() {
    cat > "$folder/trap.c" <<'C'
#include <cjson/cJSON.h>
#include <locale.h>

int main(void) {
    cJSON *number = setlocale(LC_ALL, "") ? cJSON_Parse("989.5") : NULL;
    return number && cJSON_GetNumberValue(number) == 989 ? 0 : 1;
}
C
    gcc -I"$1/include" "$folder/trap.c" "$1/lib/libcjson.a" -lm -o "$folder/trap" "$2" || stop "the trap does not build"
}

race_is_seen() {
    CK_FORK=no TSAN_OPTIONS="suppressions='' exitcode=66" "$folder/test_threads" > "$folder/race.log" 2>&1 && return 1
    grep -q "data race" "$folder/race.log" && grep -q "global_error" "$folder/race.log"
}

make_locale

build test_json packaged
build test_threads packaged
run 'packaged cJSON, decimal comma' comma "$folder/test_json"
run 'packaged cJSON, decimal comma, threads' comma "$folder/test_threads"

checked=-fsanitize=address,undefined
sh tests/cjson_from_source.sh "$folder/cjson-address" gcc $checked -fno-sanitize-recover=undefined
build_trap "$folder/cjson-address" $checked
run 'the trap is there: 989.5 reads as 989' comma env ASAN_OPTIONS=detect_leaks=0 "$folder/trap"
build test_json "$folder/cjson-address" $checked -fno-sanitize-recover=undefined
build test_threads "$folder/cjson-address" $checked -fno-sanitize-recover=undefined
run 'cJSON without ENABLE_LOCALES, sanitized' point "$folder/test_json"
run 'cJSON without ENABLE_LOCALES, sanitized, decimal comma' comma "$folder/test_json"
run 'cJSON without ENABLE_LOCALES, sanitized, decimal comma, threads' comma "$folder/test_threads"

sh tests/cjson_from_source.sh "$folder/cjson-thread" gcc -fsanitize=thread
build test_threads "$folder/cjson-thread" -fsanitize=thread
run 'the race is seen: cJSON writes a global' race_is_seen
run 'threads, but for that race' comma env CK_FORK=no \
    TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp exitcode=66" "$folder/test_threads"

echo "$passed passed, 0 failed"
