#!/bin/bash
# Lists the interfaces of the Python package, of C and of npm: `write.sh FOLDER LIBRARY`, both as absolute paths.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/*}
mkdir -p "$1"

"$root/.venv/interfaces/bin/python" "$here/python.py" > "$1/python.txt"

cd "$root/capi"
{
	for header in include/arcfour.h include/arcfour/openssl/rc4.h single/arcfour.h; do
		echo "== $header"
		# Without comments; nothing is included, nothing expanded.
		gcc -fpreprocessed -dD -E -P "$header"
	done
	echo "== ${2##*/}"
	LC_ALL=C readelf --dynamic --wide "$2" | sed -n 's/.*Library soname: /soname /p'
	nm --dynamic --defined-only --with-symbol-versions "$2" | cut -d ' ' -f 2- | LC_ALL=C sort
} > "$1/c.txt"

declarations=$(mktemp -d)
trap 'rm -r "$declarations"' EXIT
cd "$root/page"
node_modules/.bin/tsc -p arcfour --emitDeclarationOnly --removeComments --outDir "$declarations"
cd "$declarations"
find . -name '*.d.ts' | LC_ALL=C sort | while read -r file; do
	echo "== ${file#./}"
	cat "$file"
done > "$1/npm.txt"

# The binary interface as a compiler of C sees it: a library of empty functions from the headers, with the debug information
# that the library itself lacks in C. abidiff compares sizes, fields, values and types with the record.
cd "$root/capi"
empty=$declarations/libarcfour.so
gcc -x c -fsyntax-only -Iinclude -aux-info "$declarations/prototypes" - <<< $'#include "arcfour.h"\n#include "arcfour/openssl/rc4.h"'
{
	printf '#include "arcfour.h"\n#include "arcfour/openssl/rc4.h"\n'
	sed -n 's/^.* include\/arcfour.* extern \(.*\);$/\1 { __builtin_trap(); }/p' "$declarations/prototypes"
} | gcc -std=c2x -g -shared -fPIC -Iinclude -Wl,--version-script=arcfour.map,-soname,"$(sed -n 's/^soname \[\(.*\)\]/\1/p' "$1/c.txt")" -x c - -o "$empty"
abidw --no-show-locs --no-corpus-path --no-comp-dir-path --out-file "$1/c.abi" "$empty"
