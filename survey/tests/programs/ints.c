/* A table of 32-bit cells, the key copied to 256 of them, masks in place of remainders. */
static unsigned int S[256];
static int K[256];

void schedule(const unsigned char *key, int len) {
    int i, j;
    for (i = 0; i < 256; i++) {
        S[i] = i;
        K[i] = key[i % len];
    }
    for (i = j = 0; i < 256; i++) {
        unsigned int t = S[i];
        j = (j + t + K[i]) & 255;
        S[i] = S[j];
        S[j] = t;
    }
}

void run(unsigned char *data, int n) {
    int i = 0, j = 0, k;
    for (k = 0; k < n; k++) {
        unsigned int t;
        i = (i + 1) & 255;
        j = (j + S[i]) & 255;
        t = S[i];
        S[i] = S[j];
        S[j] = t;
        data[k] ^= S[(S[i] + S[j]) & 255];
    }
}

int main(int count, char **texts) {
    schedule((unsigned char *)texts[0], count);
    run((unsigned char *)texts[0], count);
    return texts[0][0];
}
