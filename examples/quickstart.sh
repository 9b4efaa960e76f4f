#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds in build/, and shows what one decode step of Llama-3.1-8B costs on an H100.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=tests/packages.sh
source tests/packages.sh

build() {
    { test -f build/build.ninja || meson setup -Dtests=false build; } && ninja -C build
}

install_missing "${build_packages[@]}"
mkdir -p build
echo "Building in build/ (about a quarter of a minute) ..."
if ! build >build/quickstart.log 2>&1; then
    cat build/quickstart.log
    exit 1
fi

command=(build/examples/command/roofline step --model llama-3.1-8b --device h100-sxm --batch 8 --context 8192 --kernels)
echo "\$ ${command[*]}"
"${command[@]}"
