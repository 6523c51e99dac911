/* None of RC4: a table shuffled by numbers that do not come from it, a table of counts, bytes that are reversed. */
static unsigned char S[256];

int main(int count, char **texts) {
    unsigned int seed = count, counts[256] = {0};
    for (int i = 0; i < 256; i++) S[i] = i;
    for (int i = 255; i > 0; i--) {
        seed = seed * 1664525 + 1013904223;
        unsigned char j = seed >> 24, t = S[i];
        S[i] = S[j];
        S[j] = t;
    }
    for (int i = 0; i < 256; i++) counts[S[(unsigned char)(i + texts[0][0])]]++;
    for (int i = 0; i < 128; i++) {
        unsigned char t = S[i];
        S[i] = S[255 - i];
        S[255 - i] = t;
    }
    return S[counts[0] & 255];
}
