#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cjson_from_source.sh FOLDER [COMPILER [FLAG...]]
#
# Builds the distribution's own cJSON source as a static library with the given flags, and WITHOUT cJSON's
# ENABLE_LOCALES. The packaged library hides two traps: it is not instrumented, so ThreadSanitizer is blind to its write
# to a global, and it was built with ENABLE_LOCALES, so a decimal comma cannot hurt it. Both are met by users who build
# cJSON otherwise, so the tests run against this one.
#
# Result: FOLDER/lib/pkgconfig/libcjson.pc. Nothing outside FOLDER is changed: the source entries are derived from the
# entries that the machine's apt already has for libcjson-dev, in a private list with a private state.
set -eu

if [ $# -lt 1 ]; then
    echo "usage: $0 FOLDER [COMPILER [FLAG...]]" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
compiler=${2:-cc}
shift $(($# < 2 ? $# : 2))

missing() {
    echo "$0: $1" >&2
    exit 1
}

# "http://host/debian bookworm/main amd64 Packages" -> "deb-src http://host/debian bookworm main", and the version.
write_source_list() {
    apt-cache policy libcjson-dev > "$folder/policy"
    if ! grep -q ' Packages$' "$folder/policy"; then
        apt-get -qq update
        apt-cache policy libcjson-dev > "$folder/policy"
    fi
    awk '$4 ~ /^[a-z0-9]+$/ && $5 == "Packages" { sub("/", " ", $3); print "deb-src", $2, $3 }' "$folder/policy" |
        sort -u > "$folder/sources.list"
    [ -s "$folder/sources.list" ] || missing "apt knows no repository that has libcjson-dev; run 'apt-get update'"
    version=$(awk '$1 == "Candidate:" { print $2 }' "$folder/policy")
}

# apt that sees the private list alone and keeps its state in the folder.
private_apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User= "$@"
}

fetch_source() {
    command -v dpkg-source > /dev/null || missing "dpkg-source is missing; install dpkg-dev"
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    write_source_list
    private_apt update
    (cd "$folder" && private_apt source --download-only "cjson=$version")
    rm -rf "$folder/source"
    dpkg-source --no-check -x "$folder"/cjson_*.dsc "$folder/source" > "$folder/unpack.log" 2>&1 ||
        missing "the source package does not unpack; see $folder/unpack.log"
}

[ -f "$folder/source/cJSON.c" ] || fetch_source

mkdir -p "$folder/include/cjson" "$folder/lib/pkgconfig"
cp "$folder/source/cJSON.h" "$folder/include/cjson/"
"$compiler" -std=c89 -O1 -g -fPIC -fno-omit-frame-pointer "$@" -c "$folder/source/cJSON.c" -o "$folder/lib/cJSON.o"
rm -f "$folder/lib/libcjson.a"
ar rcs "$folder/lib/libcjson.a" "$folder/lib/cJSON.o"
cat > "$folder/lib/pkgconfig/libcjson.pc" <<PC
Name: libcjson
Description: cJSON from the distribution's source, without ENABLE_LOCALES
Version: $(sed -n 's/^#define CJSON_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' "$folder/source/cJSON.h" | paste -sd.)
Libs: $folder/lib/libcjson.a -lm
Cflags: -I$folder/include
PC
echo "$folder/lib/pkgconfig/libcjson.pc"
