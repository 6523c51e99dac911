#!/bin/bash
# Installs the Debian package into a clean root and uses what it brought; uses the static commands where nothing else
# is; builds both once more elsewhere, bit for bit. Needs a committed tree. Takes the folder of what was built.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath "$1")
root=$out/installed
libraries=$root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)

rm -rf "$root"
mkdir -p "$root"/var/lib/dpkg/{info,updates}
touch "$root/var/lib/dpkg/status"
# Its root has no libc6 that could be depended on.
packages() { dpkg --root="$root" --log=/dev/null --force-not-root --force-script-chrootless --force-depends "$@"; }
packages --install "$out/arcfour.deb"

export PATH=$root/usr/bin:$PATH LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$libraries/pkgconfig
[ "$(command -v arcfour)" = "$root/usr/bin/arcfour" ]
[ "$(printf Baptiste | rc4 --out-hexa Quentin)" = b07ce1f8d34cb924 ]
rm -f "$out/key"
arcfour keygen -o "$out/key"
[ "$(echo dawn | arcfour seal --seal-key "$out/key" | arcfour open --seal-key "$out/key")" = dawn ]
for page in rc4 arcfour arcfour-crypt; do zgrep -q 'RC4 is broken' "$root/usr/share/man/man1/$page.1.gz"; done
for program in rc4 arcfour; do
	bash -n "$root/usr/share/bash-completion/completions/$program"
	[ -s "$root/usr/share/zsh/vendor-completions/_$program" ] && [ -s "$root/usr/share/fish/vendor_completions.d/$program.fish" ]
done
[ "$(stat -c %a "$root/usr/bin/rc4" "$root/usr/include/arcfour.h" | xargs)" = '755 644' ]

# A program in C with the shared library, and with the static one.
# pkg-config escapes spaces as the shell does.
eval "flags=(-std=c11 -O1 -Wall -Werror $(pkg-config --cflags arcfour)) shared=($(pkg-config --libs arcfour)) static=($(pkg-config --static --libs arcfour))"
cc "${flags[@]}" ../capi/tests/api.c -o "$out/api" "${shared[@]}"
cc "${flags[@]}" -static ../capi/tests/api.c -o "$out/api-static" "${static[@]}"
readelf -d "$out/api" | grep -q 'NEEDED.*libarcfour.so.1'
for program in api api-static; do "$out/$program" ../vectors ../vectors/rc4-rfc6229.txt; done

packages --purge arcfour
[ -z "$(find "$root/usr" -type f -o -type l 2>/dev/null)" ]

# The static commands, in a root where there is nothing else.
alone=$out/alone
rm -rf "$alone" && mkdir "$alone"
cp "$out"/build/x86_64-unknown-linux-musl/release/{rc4,arcfour} "$alone"
[ "$(printf Baptiste | unshare --map-root-user chroot "$alone" /rc4 --out-hexa Quentin)" = b07ce1f8d34cb924 ]
keystream=(keystream --key Quentin --bytes 1MiB)
unshare --map-root-user chroot "$alone" /arcfour "${keystream[@]}" | cmp - <("$out/build/release/arcfour" "${keystream[@]}")
# Those for aarch64, emulated.
foreign=$out/build/aarch64-unknown-linux-musl/release
[ "$(printf Baptiste | qemu-aarch64 "$foreign/rc4" --out-hexa Quentin)" = b07ce1f8d34cb924 ]
qemu-aarch64 "$foreign/arcfour" "${keystream[@]}" | cmp - <("$out/build/release/arcfour" "${keystream[@]}")

[ -z "$(git status --porcelain)" ] || { echo 'commit first: what is committed is built once more' >&2; exit 1; }
elsewhere=$out/some/other/folder
rm -rf "$elsewhere"
git clone --quiet .. "$elsewhere"
make -C "$elsewhere/packaging" TOOLS="$(realpath --relative-to="$elsewhere/packaging" "$out/tools")" deb musl
for file in arcfour.deb build/{aarch64,x86_64}-unknown-linux-musl/release/{rc4,arcfour}; do
	cmp "$out/$file" "$elsewhere/target/packaging/$file"
done
rm -rf "$elsewhere"
echo 'the package installs, works and goes; the static commands work; another build has the same bytes'
