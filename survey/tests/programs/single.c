/* The one C file for programs that carry their own RC4, with its assembly. */
#include "../../../capi/single/arcfour.c"

int main(int count, char **words)
{
    static arcfour1 stream;
    static unsigned char text[4096];
    size_t len = 0;
    while (count > 1 && words[1][len])
        len++;
    if (arcfour1_key(&stream, words[0], len % 256 + 1, 0))
        return 1;
    arcfour1_xor(&stream, text, text, sizeof text);
    return text[0];
}
