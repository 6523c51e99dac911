# Files of openssl enc, both ways, with the real openssl: enc.sh PROGRAM FILE. Wants openssl's legacy provider.
set -euo pipefail
ours=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
head -c 20011 "$2" > "$folder/plain"

theirs() {
    openssl enc -provider legacy -provider default -k 'a word' "$@" 2> "$folder/log"
}

# The options as numbers for PROGRAM, a semicolon, and those of openssl.
for bits in '0; -rc4' '128; -rc4' '40; -rc4-40'; do
    for hash in '0; -md sha256' '1; -md md5' '2; -md sha1' '3; -md sha512'; do
        for iterations in '0;' '7; -pbkdf2 -iter 7'; do
            for salt in '0;' '1; -S 0102030405060708' '2; -nosalt'; do
                for text in '0;' '1; -a' '2; -a -A'; do
                    all=("$bits" "$hash" "$iterations" "$salt" "$text")
                    # One word or several each.
                    read -ra numbers <<< "${all[*]%%;*}"
                    read -ra words <<< "${all[*]#*;}"
                    "$ours" e "${numbers[@]}" 'a word' < "$folder/plain" > "$folder/by-us"
                    theirs -e "${words[@]}" < "$folder/plain" > "$folder/by-them"
                    if ! theirs -d "${words[@]}" < "$folder/by-us" | cmp - "$folder/plain" ||
                        ! "$ours" d "${numbers[@]}" 'a word' < "$folder/by-them" | cmp - "$folder/plain"; then
                        echo "enc.sh: ${numbers[*]} is not ${words[*]}" >&2
                        cat "$folder/log" >&2
                        exit 1
                    fi
                done
            done
        done
    done
done
