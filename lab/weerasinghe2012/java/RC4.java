/** RC4 as in section 2 of the paper: KSA and PRGA, with indexes as integers modulo 256. */
final class RC4 {
    private final int[] S = new int[256];
    private int i = 0;
    private int j = 0;

    RC4(byte[] key) {
        for (int i = 0; i < 256; i++) {
            S[i] = i;
        }
        int j = 0;
        for (int i = 0; i < 256; i++) {
            j = (j + S[i] + (key[i % key.length] & 0xff)) % 256;
            swap(i, j);
        }
    }

    /** Returns the message M, each byte XORed with the next byte of keystream. */
    byte[] encrypt(byte[] M, int length) {
        byte[] ciphertext = new byte[length];
        for (int x = 0; x < length; x++) {
            i = (i + 1) % 256;
            j = (j + S[i]) % 256;
            swap(i, j);
            ciphertext[x] = (byte) (M[x] ^ S[(S[i] + S[j]) % 256]);
        }
        return ciphertext;
    }

    private void swap(int a, int b) {
        int kept = S[a];
        S[a] = S[b];
        S[b] = kept;
    }
}
