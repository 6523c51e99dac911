#!/bin/bash
# Installs the packages of its folder's debian/ into this root, uses what they brought, and removes them: test.sh runs it.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive
# One package, and by apt what it depends on.
brought() { apt-get install --quiet=2 --no-install-recommends ./debian/"$1"_*.deb > log || { cat log; exit 1; }; }

brought arcfour
[ "$(command -v arcfour)" = /usr/bin/arcfour ]
[ "$(printf Baptiste | rc4 --out-hexa Quentin)" = b07ce1f8d34cb924 ]
arcfour keygen -o key
[ "$(echo dawn | arcfour seal --seal-key key | arcfour open --seal-key key)" = dawn ]
for page in rc4 arcfour arcfour-crypt; do zgrep -q 'RC4 is broken' "/usr/share/man/man1/$page.1.gz"; done
for program in rc4 arcfour; do
	bash -n "/usr/share/bash-completion/completions/$program"
	[ -s "/usr/share/zsh/vendor-completions/_$program" ] && [ -s "/usr/share/fish/vendor_completions.d/$program.fish" ]
done
[ "$(stat -c %a /usr/bin/rc4)" = 755 ]
grep -q 'argon2' /usr/share/doc/arcfour/packages.licences.html
grep -q 'Rust Standard Library' /usr/share/doc/arcfour/rust.licences.html

# A program in C with the shared library, and with the static one. The shared library alone is enough to run it.
brought libarcfour1
brought libarcfour-dev
[ "$(stat -c %a /usr/include/arcfour.h)" = 644 ]
read -ra flags <<< "-std=c11 -O1 -Wall -Werror $(pkg-config --cflags arcfour)"
read -ra shared <<< "$(pkg-config --libs arcfour)"
read -ra static <<< "$(pkg-config --static --libs arcfour)"
cc "${flags[@]}" api.c -o api "${shared[@]}"
cc "${flags[@]}" -static api.c -o api-static "${static[@]}"
apt-get purge --quiet=2 libarcfour-dev > log
readelf -d api | grep -q 'NEEDED.*libarcfour.so.1'
readelf --wide --version-info api | grep -q 'Name: ARCFOUR_1.0'
for program in api api-static; do "./$program" vectors vectors/rc4-rfc6229.txt; done

# The first example of the package for Python, and an array of NumPy.
brought python3-arcfour
[ "$(python3 -c 'from arcfour import ARC4; print(ARC4.new(b"Key").encrypt(b"Plaintext").hex())')" = bbf316e8d940af0ad3 ]
python3 -c 'from arcfour import statistics; assert statistics.single_byte(1000, 2).sum() == 2000'

# Debian 12 has the legacy provider in the package of libssl: it goes, and RC4 comes by ours.
brought openssl-provider-arcfour
rm -f /usr/lib/*/ossl-modules/legacy.so
options=(-rc4 -provider arcfour-provider -provider default -pbkdf2 -k word)
[ "$(echo dawn | openssl enc "${options[@]}" | openssl enc -d "${options[@]}")" = dawn ]
zgrep -q 'RC4 is broken' /usr/share/man/man7/arcfour-provider.7.gz

# Nothing stays.
names=(arcfour libarcfour1 python3-arcfour openssl-provider-arcfour)
dpkg --listfiles "${names[@]}" | grep -i 'arcfour\|rc4' | sort -u > files
apt-get purge --quiet=2 "${names[@]}" > log
while read -r file; do if [ -e "$file" ]; then echo "$file stayed"; exit 1; fi; done < files
echo 'installed, used and removed'
