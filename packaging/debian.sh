#!/bin/bash
# Makes the Debian packages of debian/control from what is built: debian.sh OUT VERSION MATURIN LICENCES. dpkg-dev does the
# work. OUT/root has the files of the commands and of the library for C as they will lie in /. The rest is built here.
set -euo pipefail
# What is installed is for everyone, whoever builds it.
umask 022
cd "$(dirname "$0")"
out=$(realpath "$1")
maturin=$(realpath -s "$3")
licences=$(realpath "$4")
version=$2-1
architecture=$(dpkg-architecture -qDEB_HOST_ARCH)
libraries=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
made=$out/debian
rm -rf "$made" "$out"/*.deb
mkdir "$made"

cd ..
. packaging/reproducible.sh
rm -rf "$out/wheel"
CARGO_TARGET_DIR=$out/build "$maturin" build --release --locked --compatibility linux --manifest-path python/Cargo.toml --out "$out/wheel"
cd packaging
provider() { make -s -C ../capi/provider OUT="$(realpath --relative-to=../capi/provider "$out")/provider" "$@"; }

# What dpkg's programs read beside debian/control.
cat > "$made/changelog" <<END
arcfour ($version) unstable; urgency=medium

  * Release of Arcfour $2; changelog.gz says what is new.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(LC_ALL=C date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")
END

# PACKAGE PATH...: the package with these paths of the root.
from_root() {
	mkdir "$made/$1"
	tar -C "$out/root" -c "${@:2}" | tar -C "$made/$1" -x
}
from_root arcfour usr/bin usr/share
from_root libarcfour1 "$libraries/libarcfour.so.1"
from_root libarcfour-dev usr/include "$libraries/libarcfour.so" "$libraries/libarcfour.a" "$libraries/pkgconfig"
mkdir -p "$made/python3-arcfour/usr/lib/python3/dist-packages"
python3 -m zipfile -e "$out"/wheel/*.whl "$made/python3-arcfour/usr/lib/python3/dist-packages"
# debian/copyright has them.
rm -r "$made"/python3-arcfour/usr/lib/python3/dist-packages/arcfour-*.dist-info/licenses
provider install PREFIX=/usr DESTDIR="$(realpath --relative-to=../capi/provider "$made")/openssl-provider-arcfour"

# The licences of other people's packages for Rust, of what has some linked into it.
declare -A linked=([arcfour]=arcfour [libarcfour1]=libarcfour [libarcfour-dev]=libarcfour [python3-arcfour]=python)
for folder in "$made"/*/; do
	folder=${folder%/}
	package=${folder##*/}
	install -D -m 644 -t "$folder/usr/share/doc/$package" debian/copyright
	install -D -m 644 debian/overrides "$folder/usr/share/lintian/overrides/$package"
	if [ -n "${linked[$package]-}" ]; then
		install -m 644 "$licences/${linked[$package]}.licences.html" "$folder/usr/share/doc/$package/packages.licences.html"
		install -m 644 -t "$folder/usr/share/doc/$package" "$licences/rust.licences.html"
	fi
	gzip -9n < "$made/changelog" > "$folder/usr/share/doc/$package/changelog.Debian.gz"
	gzip -9n < ../CHANGELOG.md > "$folder/usr/share/doc/$package/changelog.gz"
	find "$folder/usr/share" -path '*/man/*' -type f -exec gzip -9n {} +
	find "$folder" -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
	find "$folder" '(' -path '*/bin/*' -o -name '*.so*' ')' -type f -exec strip --strip-unneeded --remove-section=.comment {} +
	find "$folder" -name '*.so*' -type f -exec chmod 644 {} +
	chmod -R u=rwX,go=rX "$folder"

	mkdir "$folder/DEBIAN"
	if [ -d "debian/$package" ]; then install -m 755 -t "$folder/DEBIAN" debian/"$package"/*; fi
	if [ "$package" = libarcfour1 ]; then
		install -m 644 debian/triggers "$folder/DEBIAN"
		echo "libarcfour 1 $package" > "$folder/DEBIAN/shlibs"
		# -c4: a name that the committed list lacks, or a listed name that is gone, is an error.
		dpkg-gensymbols -q -c4 "-p$package" "-P$folder" "-v$2" -Idebian/libarcfour1.symbols
	fi
	mapfile -d '' programs < <(find "$folder" '(' -path '*/bin/*' -o -name '*.so*' ')' -type f -print0)
	if [ "${#programs[@]}" -gt 0 ]; then
		dpkg-shlibdeps "-T$made/$package.substvars" "${programs[@]}"
	fi
	dpkg-gencontrol "-p$package" "-P$folder" "-l$made/changelog" "-T$made/$package.substvars" "-f$made/files"
	(cd "$folder" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$folder/DEBIAN/md5sums"
	chmod 644 "$folder/DEBIAN/md5sums"
	dpkg-deb --root-owner-group --build "$folder" "$out/${package}_${version}_$architecture.deb"
done
