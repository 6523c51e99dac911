/* Cells that change places by three XORs, and only if they are two. */
static unsigned char S[256];

static void swap(int i, int j) {
    if (i != j) {
        S[i] ^= S[j];
        S[j] ^= S[i];
        S[i] ^= S[j];
    }
}

void schedule(const unsigned char *key, int len) {
    int i;
    unsigned char j = 0;
    for (i = 0; i < 256; i++) S[i] = i;
    for (i = 0; i < 256; i++) {
        j += S[i] + key[i % len];
        swap(i, j);
    }
}

void run(unsigned char *data, int n) {
    unsigned char i = 0, j = 0;
    for (int k = 0; k < n; k++) {
        i++;
        j += S[i];
        swap(i, j);
        data[k] ^= S[(unsigned char)(S[i] + S[j])];
    }
}

int main(int count, char **texts) {
    schedule((unsigned char *)texts[0], count);
    run((unsigned char *)texts[0], count);
    return texts[0][0];
}
