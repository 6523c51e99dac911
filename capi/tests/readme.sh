# The examples of the README, with input that is right and input that is wrong: readme.sh PROGRAM TESTKIT.
set -euo pipefail
program=$1
kit=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Notices a pointer without a value. The derivation of a passphrase would take minutes in it.
checked() { valgrind --quiet --error-exitcode=9 --leak-check=full "$program" "$@"; }

# refused MESSAGE COMMAND: the example ends with this message, and prints nothing else.
refused() {
    local status=0
    "${@:2}" > "$folder/out" 2> "$folder/log" || status=$?
    if [ $status -ne 1 ] || [ -s "$folder/out" ] || [ "$(cat "$folder/log")" != "${program##*/}: $1" ]; then
        echo "readme.sh: ${*:2}: status $status" >&2
        cat "$folder/log" >&2
        exit 1
    fi
}

[ "$(checked stream Key Plaintext | xxd -p)" = bbf316e8d940af0ad3 ]
refused 'a key must have 1 to 256 bytes' checked stream '' Plaintext

"$program" sealed "$kit/valid-passphrase.sealed" "$(cat "$kit/passphrase")" | head -c 3 | cmp - <(printf '\0\1\2')
refused 'neither a key file nor a passphrase of 1 to 4096 bytes' checked sealed "$kit/valid-passphrase.sealed" ''
refused 'the key is not the one the file was sealed with, or the header was changed' \
    "$program" sealed "$kit/valid-passphrase.sealed" wrong

printf 'Attack at dawn' > "$folder/plain"
openssl enc -provider legacy -provider default -rc4 -md md5 -k word -in "$folder/plain" -out "$folder/file" 2> "$folder/log"
checked enc "$folder/file" word | cmp - "$folder/plain"
refused 'a pointer that must not be NULL is NULL' checked enc "$folder/file" ''
refused 'the file does not begin with Salted__ and a salt' checked enc "$folder/plain" word
