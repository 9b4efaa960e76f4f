#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds with gcc and clang, and runs every suite.
#
#     bash tests/run.sh                    everything
#     bash tests/run.sh --only c,python    some of c, python, go, rust
#
# Each step keeps its output in build/log/ and prints its runner's closing lines; a step that fails prints the rest too.
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
# shellcheck source=tests/packages.sh
source tests/packages.sh

languages=c,python,go,rust
if [ "${1:-}" = --only ] && [ -n "${2:-}" ]; then
    languages=$2
elif [ $# -gt 0 ]; then
    echo "usage: tests/run.sh [--only c,python,go,rust]" >&2
    exit 2
fi
for language in ${languages//,/ }; do
    case $language in
    c | python | go | rust) ;;
    *)
        echo "tests/run.sh: no language '$language'; there are c, python, go, rust" >&2
        exit 2
        ;;
    esac
done
wants() { [[ ,$languages, == *,$1,* ]]; }

log=build/log
mkdir -p $log
rows=()
passed=0
failed=0

# The lines with which runners close, whatever else they print.
closing_lines() {
    grep -hE '^[0-9]+%: Checks: |[0-9]+ passed, [0-9]+ failed|^ok +[^ ]+/|^test result: |^Success: no issues|^All checks passed' "$@"
}

# step NAME COMMAND...: runs it, says how it closed, remembers how it went.
step() {
    local name=$1 start=$SECONDS output=$log/${1//[^a-z0-9]/-}.log
    shift
    printf '\n== %s\n' "$name"
    if "$@" >"$output" 2>&1; then
        passed=$((passed + 1))
        rows+=("$(printf 'ok      %4d s  %s' $((SECONDS - start)) "$name")")
        closing_lines "$output"
        return 0
    else
        failed=$((failed + 1))
        rows+=("$(printf 'FAILED  %4d s  %s' $((SECONDS - start)) "$name")")
        tail -n 150 "$output"
        echo "== $name FAILED; all of its output is in $output"
        return 1
    fi
}

close() {
    printf '\n== summary\n'
    printf '%s\n' "${rows[@]}"
    echo "in $SECONDS s"
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] || exit 1
    exit 0
}

# --------------------------------------------------------------------------------------------------------- packages --

clang_major() { clang -dumpversion | cut -d. -f1; }

system_packages() {
    install_missing "${build_packages[@]}" \
        'g++ --version => g++' \
        'pkg-config --exists check => check' \
        'clang --version => clang' \
        'clang-tidy --version => clang-tidy' \
        'clang-format --version => clang-format' \
        'valgrind --version => valgrind' \
        'dpkg-source --version => dpkg-dev' \
        'git --version => git' \
        'xz --version => xz-utils' \
        'test -e /usr/share/i18n/locales/de_DE => locales' \
        'python3 -m ensurepip --version => python3-venv' || return 1
    install_missing "echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o /dev/null \
=> libclang-rt-$(clang_major)-dev"
}

# at_least VERSION LEAST: both dotted.
at_least() { [ "$(printf '%s\n' "$2" "$1" | sort -V | head -1)" = "$2" ]; }

go_toolchain() {
    local version
    version=$(go env GOVERSION 2>/dev/null | sed 's/^go//')
    at_least "${version:-0}" 1.24 && return 0
    echo "Go ${version:-is missing}: install Go 1.24 or newer from go.dev and put it on PATH, or narrow with --only."
    return 1
}

rust_toolchain() {
    local version
    version=$(rustc --version 2>/dev/null | cut -d' ' -f2)
    at_least "${version:-0}" 1.85 && return 0
    echo "Rust ${version:-is missing}: install Rust 1.85 or newer with rustup, or narrow with --only."
    return 1
}

# ------------------------------------------------------------------------------------------------------- C, building --

# build FOLDER COMPILER OPTION...: configures once, then builds; every warning is an error.
build() {
    local folder=$1 compiler=$2
    shift 2
    if [ ! -f "$folder/build.ninja" ]; then
        CC=$compiler meson setup --werror "$@" "$folder" || return 1
    fi
    ninja -C "$folder"
}

# Every suite of a build folder. Meson's own summary is turned into the plain closing line.
suites() {
    local folder=$1 status=0
    shift
    meson test -C "$folder" --no-rebuild --print-errorlogs "$@" || status=1
    grep -hE '^[0-9]+%: Checks: |^[0-9]+ passed, [0-9]+ failed' "$folder/meson-logs/testlog.txt"
    awk '$1 == "Ok:" { ok = $2 } $1 == "Skipped:" { skipped = $2 } $1 ~ /Fail:|Timeout:/ { bad += $2 }
         END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skipped; exit skipped > 0 }' \
        "$folder/meson-logs/testlog.txt" || status=1
    return $status
}

prefix=$PWD/build/installed
install_and_use() {
    rm -rf "$prefix"
    meson install -C build/gcc --no-rebuild --quiet && sh tests/install/test_install.sh "$prefix"
}

source_archive() {
    if [ ! -e .git ]; then
        echo "This is no git checkout: there is nothing to make an archive of."
        return 0
    fi
    meson dist -C build/gcc --no-tests --allow-dirty
}

# ------------------------------------------------------------------------------------------------------ C, sanitizers --

# cJSON from source, instrumented as well and without the locale guard that Debian's build has.
sanitized_build() {
    local folder=$1 sanitizers=$2
    shift 2
    bash tests/cjson_from_source.sh "$folder-cjson" clang "-fsanitize=$sanitizers" -g -O1 &&
        PKG_CONFIG_PATH="$PWD/$folder-cjson/lib/pkgconfig" build "$folder" clang -Dbuildtype=debugoptimized \
            "-Db_sanitize=$sanitizers" -Db_lundef=false "$@"
}

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

planted_overflow() {
    local output=$log/planted-overflow-report.log
    if build/sanitize/tests/test_planted_overflow >$output 2>&1 || ! grep -q heap-buffer-overflow $output; then
        cat $output
        echo "The planted overflow was not caught: the sanitizer run proves nothing."
        return 1
    fi
    echo "AddressSanitizer caught the planted overflow."
    echo "1 passed, 0 failed"
}

# libFuzzer for some seconds a target, from the committed corpus; new inputs stay in the build folder.
fuzz() {
    local target
    for target in device model; do
        echo "fuzz_$target"
        mkdir -p "build/sanitize/corpus-$target"
        build/sanitize/tests/fuzz/fuzz_$target -max_total_time=15 -max_len=65536 -print_final_stats=1 \
            -dict=tests/fuzz/json.dict "build/sanitize/corpus-$target" "tests/fuzz/corpus/$target" || return 1
    done
    echo "2 passed, 0 failed"
}

benchmark() { python3 tests/bench/run.py build/gcc --quick; }

# ----------------------------------------------------------------------------------------------------------- C, style --

c_files() { git ls-files --cached --others --exclude-standard -- "$@" | grep -E '\.[ch]$'; }

formatted() { c_files include libroofline examples tests | xargs clang-format --dry-run -Werror && echo "1 passed, 0 failed"; }

tidy() {
    c_files libroofline examples | grep '\.c$' | xargs -P "$(nproc)" -n 4 clang-tidy -quiet -p build/clang &&
        echo "1 passed, 0 failed"
}

# ------------------------------------------------------------------------------------------------------------- Python --

python_files() { git ls-files --cached --others --exclude-standard -- '*.py'; }

python_tools() {
    [ -x build/venv/bin/pip ] || python3 -m venv build/venv || return 1
    build/venv/bin/pip install --quiet --disable-pip-version-check --requirement tests/requirements.txt
}

python_style() {
    python_files | xargs build/venv/bin/ruff check --config tests/ruff.toml &&
        python_files | xargs build/venv/bin/ruff format --config tests/ruff.toml --check &&
        python_files | xargs build/venv/bin/mypy --strict --cache-dir build/mypy
}

# ------------------------------------------------------------------------------------------ other languages, one ABI --

readme() { bash tests/readme.sh "$prefix" "$1"; }

client() { bash tests/abi/run.sh build/gcc/libroofline "$1"; }

go_style() {
    local unformatted
    unformatted=$(gofmt -l tests/abi/go) || return 1
    if [ -n "$unformatted" ]; then
        echo "gofmt would change: $unformatted"
        return 1
    fi
    (cd tests/abi/go && CGO_CFLAGS="-I$PWD/../../../include" go vet .) && echo "2 passed, 0 failed"
}

rust_style() { rustfmt --edition 2021 --check tests/abi/client.rs && echo "1 passed, 0 failed"; }

# -------------------------------------------------------------------------------------------------------------- steps --

step 'system packages' system_packages || close
step 'build: gcc' build build/gcc gcc "--prefix=$prefix" || close
step 'install' install_and_use

if wants c; then
    step 'quickstart' bash examples/quickstart.sh
    step 'c: readme' readme c
    step 'layout table' python3 libroofline/generate_layout.py --check
    step 'suites: gcc' suites build/gcc
    step 'source archive' source_archive
    step 'build: clang' build build/clang clang && step 'suites: clang' suites build/clang
    if step 'build: address and undefined-behaviour sanitizers' \
        sanitized_build build/sanitize address,undefined -Dplanted_overflow=true -Dfuzz=true; then
        step 'planted overflow' planted_overflow
        step 'suites: address and undefined-behaviour sanitizers' suites build/sanitize
        step 'fuzz' fuzz
    fi
    step 'json: locale, sanitizers, threads' sh tests/sanitize_json.sh build/sanitize-json
    step 'benchmark' benchmark
    step 'format: clang-format' formatted
    step 'lint: clang-tidy' tidy
fi

if wants python; then
    step 'python: client' client python
    step 'python: readme' readme python
    step 'python: tools' python_tools && step 'python: ruff and mypy' python_style
fi

if wants go && step 'go: toolchain' go_toolchain; then
    step 'go: client' client go
    step 'go: readme' readme go
    step 'go: gofmt and vet' go_style
fi

if wants rust && step 'rust: toolchain' rust_toolchain; then
    step 'rust: client' client rust
    step 'rust: readme' readme rust
    step 'rust: rustfmt' rust_style
fi

close
