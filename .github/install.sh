#!/bin/sh
# Installs amiss from its release: downloads the archive of this machine, checks its SHA-256, and
# puts the binary into $AMISS_BIN (default ~/.local/bin). Nothing else is touched.
set -eu

releases=${AMISS_RELEASES:-@RELEASES@}
version=${AMISS_VERSION:-@VERSION@}
into=${AMISS_BIN:-"$HOME/.local/bin"}

say() { printf 'install: %s\n' "$1" >&2; }
die() { say "$1"; exit 1; }

# The release fills both in; a copy from the repository belongs to none.
case "$releases $version" in
    *@*@*) die "this copy belongs to no release; take install.sh from one, or set AMISS_RELEASES and AMISS_VERSION" ;;
esac

case "$(uname -s)/$(uname -m)" in
    Linux/x86_64) target=x86_64-unknown-linux-musl ;;
    Linux/aarch64 | Linux/arm64) target=aarch64-unknown-linux-musl ;;
    Darwin/x86_64) target=x86_64-apple-darwin ;;
    Darwin/arm64) target=aarch64-apple-darwin ;;
    *) die "no archive for $(uname -s) on $(uname -m); build it with: cargo build --release" ;;
esac

if command -v curl >/dev/null 2>&1; then
    fetch() { curl --fail --silent --show-error --location --output "$2" "$1"; }
elif command -v wget >/dev/null 2>&1; then
    fetch() { wget --quiet --output-document "$2" "$1"; }
else
    die "curl or wget is needed"
fi
if command -v sha256sum >/dev/null 2>&1; then
    digest() { sha256sum "$1" | cut -d ' ' -f 1; }
else
    digest() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
fi

name=amiss-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

fetch "$releases/$name.tar.gz" "$work/$name.tar.gz" || die "cannot fetch $releases/$name.tar.gz"
fetch "$releases/SHA256SUMS" "$work/SHA256SUMS" || die "cannot fetch $releases/SHA256SUMS"

wanted=$(awk -v file="$name.tar.gz" '$2 == file { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || die "SHA256SUMS does not name $name.tar.gz"
[ "$(digest "$work/$name.tar.gz")" = "$wanted" ] || die "$name.tar.gz has another SHA-256 than SHA256SUMS says; nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$into"
# Beside its place, then renamed: a running amiss keeps its file, and nobody sees half of one.
cp "$work/$name/amiss" "$into/.amiss.new"
chmod 755 "$into/.amiss.new"
mv -f "$into/.amiss.new" "$into/amiss"
say "$("$into/amiss" --version) is in $into"
case ":$PATH:" in
    *":$into:"*) ;;
    *) say "$into is not in your PATH" ;;
esac
