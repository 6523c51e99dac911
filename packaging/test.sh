#!/bin/bash
# Installs the Debian packages into a clean root by apt and uses what they brought; uses the static commands where nothing
# else is; builds all once more elsewhere, bit for bit. Needs a committed tree. Takes the folder of what was built, maturin,
# and the folder of the licences.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath "$1")
maturin=$(realpath -s "$2")
licences=$(realpath "$3")
packages=("$out"/*.deb)

# Every complaint counts. A complaint that an override answers has its reason there.
lintian --allow-root --pedantic --fail-on error,warning,pedantic "${packages[@]}"

# A root of this Debian, by its own sources and settings, with a compiler for the library's users; nothing of it is kept.
tried=$out/tried
rm -rf "$tried"
mkdir -p "$tried/debian"
cp "${packages[@]}" "$tried/debian"
cp -r installed.sh ../capi/tests/api.c ../vectors "$tried"
apt-config dump Acquire > "$out/apt.conf"
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.*; do if [ -e "$file" ]; then sources+=("$file"); fi; done
# A hook gets the root as $1.
mmdebstrap --variant=minbase --include=gcc,libc6-dev,pkg-config,openssl --aptopt="$out/apt.conf" --format=null \
	--customize-hook='mkdir "$1/tried"' --customize-hook="sync-in '$tried' /tried" --customize-hook='chroot "$1" bash /tried/installed.sh' \
	"$(. /etc/os-release && echo "$VERSION_CODENAME")" - "${sources[@]}"

# The static commands, in a root where there is nothing else.
alone=$out/alone
rm -rf "$alone" && mkdir "$alone"
as_root=()
# Root needs no namespace of its own, and gets none in a changed root.
[ "$(id -u)" -eq 0 ] || as_root=(unshare --map-root-user)
cp "$out"/build/x86_64-unknown-linux-musl/release/{rc4,arcfour} "$alone"
[ "$(printf Baptiste | "${as_root[@]}" chroot "$alone" /rc4 --out-hexa Quentin)" = b07ce1f8d34cb924 ]
keystream=(keystream --key Quentin --bytes 1MiB)
"${as_root[@]}" chroot "$alone" /arcfour "${keystream[@]}" | cmp - <("$out/build/release/arcfour" "${keystream[@]}")
# Those for aarch64, emulated.
foreign=$out/build/aarch64-unknown-linux-musl/release
[ "$(printf Baptiste | qemu-aarch64 "$foreign/rc4" --out-hexa Quentin)" = b07ce1f8d34cb924 ]
qemu-aarch64 "$foreign/arcfour" "${keystream[@]}" | cmp - <("$out/build/release/arcfour" "${keystream[@]}")

[ -z "$(git status --porcelain)" ] || { echo 'commit first: what is committed is built once more' >&2; exit 1; }
# A path may have a space.
elsewhere="$out/some other/folder"
rm -rf "$elsewhere"
git clone --quiet .. "$elsewhere"
from() { realpath -s --relative-to="$elsewhere/packaging" "$1"; }
make -C "$elsewhere/packaging" MATURIN="$(from "$maturin")" LICENCES="$(from "$licences")" deb musl
for file in "${packages[@]##*/}" build/{aarch64,x86_64}-unknown-linux-musl/release/{rc4,arcfour}; do
	cmp "$out/$file" "$elsewhere/target/packaging/$file"
done
rm -rf "$elsewhere"
echo 'the packages install, work and go; the static commands work; another build has the same bytes'
