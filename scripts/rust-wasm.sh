#!/usr/bin/env bash
# Installs a Rust toolchain that builds for wasm32-wasip1, out of Debian packages alone, for machines on
# which rustup cannot fetch a target. Prints the folder of the toolchain; use it as
#   PATH="$(scripts/rust-wasm.sh)/bin:$PATH" cargo build --release --target wasm32-wasip1
# The second run returns at once. Where rustup can add wasm32-wasip2, none of this is needed.
set -euo pipefail
root=${RUST_WASM_ROOT:-/opt/rust-wasm}
target=wasm32-wasip1
lib=$root/lib/rustlib/$target/lib
if [[ -e $root/.done ]]; then echo "$root"; exit 0; fi

export DEBIAN_FRONTEND=noninteractive
if ! dpkg -s rustc-web cargo-web rust-web-src wasi-libc lld-19 clang-19 llvm-19 libclang-rt-19-dev-wasm32 >/dev/null 2>&1; then
  apt-get update >&2
  apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src wasi-libc lld-19 clang-19 llvm-19 libclang-rt-19-dev-wasm32 >&2
fi
src=$(readlink -f /usr/lib/rustlib/src/rust)

# 1. a sysroot of our own: the host's libraries, the linker under the name that rustc looks for
rm -rf "$root"
mkdir -p "$root/bin" "$root/lib/rustlib" "$lib/self-contained"
ln -s /usr/lib/rustlib/x86_64-unknown-linux-gnu "$root/lib/rustlib/x86_64-unknown-linux-gnu"
ln -s /usr/lib/rustlib/src "$root/lib/rustlib/src"
mkdir -p "$root/linker"
printf '#!/bin/sh\n# rustc passes "-flavor wasm" first; wasm-ld takes none\n[ "$1" = -flavor ] && shift 2\nexec wasm-ld-19 "$@"\n' >"$root/linker/rust-lld"
chmod +x "$root/linker/rust-lld"
cp /usr/lib/wasm32-wasi/{crt1-command.o,crt1-reactor.o,libc.a} "$lib/self-contained/"
# Rust's test harness names three thread functions that this wasi-libc lacks and a wasm32-wasip1 program never reaches
printf 'int pthread_create(void *t, void *a, void *f, void *p) { return 58; }\nint pthread_join(void *t, void **r) { return 58; }\nint pthread_detach(void *t) { return 58; }\n' |
  clang-19 --target=wasm32-wasi -O2 -w -x c -c - -o "$lib/self-contained/threads.o"
llvm-ar-19 q "$lib/self-contained/libc.a" "$lib/self-contained/threads.o"
rm "$lib/self-contained/threads.o"

# 2. the standard library, built once from Debian's source with its vendored crates
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$build/src" "$build/.cargo"
cat >"$build/.cargo/config.toml" <<T
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "$src/library/vendor"
T
printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2021"\n[lib]\n' >"$build/Cargo.toml"
echo '#![no_std]' >"$build/src/lib.rs"
(cd "$build" && RUSTFLAGS=-Cembed-bitcode=yes RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo build --offline --release --target "$target" \
  -Zbuild-std=std,panic_abort,panic_unwind,test,proc_macro >&2)
cp "$build/target/$target/release/deps/"*.rlib "$lib/"
rm -f "$lib"/libseed-*.rlib

# 3. the commands: Debian's compiler on that sysroot; clang for build scripts that compile C
printf '#!/bin/sh\nexec /usr/bin/rustc --sysroot %s "$@"\n' "$root" >"$root/bin/rustc"
printf '#!/bin/sh\nexport RUSTC="${RUSTC:-%s/bin/rustc}" CARGO_TARGET_WASM32_WASIP1_LINKER="${CARGO_TARGET_WASM32_WASIP1_LINKER:-%s/linker/rust-lld}"\nexport CC_wasm32_wasip1="${CC_wasm32_wasip1:-%s/bin/wasi-clang}" AR_wasm32_wasip1="${AR_wasm32_wasip1:-llvm-ar-19}"\nexec /usr/bin/cargo "$@"\n' "$root" "$root" "$root" >"$root/bin/cargo"
printf '#!/bin/sh\nexec clang-19 --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi "$@"\n' >"$root/bin/wasi-clang"
chmod +x "$root/bin/"*
touch "$root/.done"
echo "$root"
