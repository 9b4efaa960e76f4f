#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs three small clients of the library, one a language: bash tests/abi/run.sh LIBDIR [LANGUAGE...]
#
# LIBDIR is the folder with libroofline.so of a build; the header is the one of this tree. Without languages: python go
# rust. Each client closes with a line "LANGUAGE: N passed, N failed".
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
libraries=$(cd "${1:?usage: run.sh LIBDIR [python] [go] [rust]}" && pwd) || exit 1
shift
[ $# -gt 0 ] || set -- python go rust
config=$here/../data/models/meta-llama__Llama-3.1-8B.json
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

python() { python3 "$here/client.py" "$libraries/libroofline.so" "$config"; }

go_client() {
    (cd "$here/go" && CGO_CFLAGS="-I$here/../../include -Wall -Werror" \
        CGO_LDFLAGS="-L$libraries -Wl,-rpath,$libraries" go build -o "$work/go-client" .) &&
        "$work/go-client" "$config"
}

rust() {
    rustc --edition 2021 -D warnings -O -L "native=$libraries" -C "link-arg=-Wl,-rpath,$libraries" \
        -o "$work/rust-client" "$here/client.rs" && "$work/rust-client" "$config"
}

status=0
for language in "$@"; do
    case $language in
    python) python ;;
    go) go_client ;;
    rust) rust ;;
    *) echo "run.sh: no language '$language'; there are python, go, rust" && false ;;
    esac || status=1
done
exit $status
