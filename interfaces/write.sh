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
