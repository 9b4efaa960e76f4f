# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by examples/quickstart.sh and tests/run.sh: installs system packages that a probe does not find.

# install_missing 'probe => package'...: runs each probe (a command line), installs the packages of those that fail.
install_missing() {
    local packages=() row
    for row in "$@"; do
        bash -c "${row%% => *}" >/dev/null 2>&1 || packages+=("${row##* => }")
    done
    [ ${#packages[@]} -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "Missing: ${packages[*]} (names of Debian packages). Install them with this system's package manager." >&2
        return 1
    fi
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Missing: ${packages[*]}. As root: apt-get install ${packages[*]}" >&2
            return 1
        fi
        root=(sudo)
    fi
    echo "Installing ${packages[*]}"
    "${root[@]}" apt-get -qq update &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
            "${packages[@]}" >/dev/null
}

# What building and using the library takes.
build_packages=(
    'command -v gcc => gcc'
    'echo "#include <stdio.h>" | gcc -E - => libc6-dev'
    'meson --version => meson'
    'ninja --version => ninja-build'
    'pkg-config --version => pkg-config'
    'pkg-config --exists libcjson => libcjson-dev'
    'python3 --version => python3'
)
