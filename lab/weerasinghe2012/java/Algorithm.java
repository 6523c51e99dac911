import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Locale;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The cipher of the paper, and the block cipher of its future work. */
enum Algorithm {
    /** RC4 as in section 2; every chunk begins with the scheduled state. */
    RC4 {
        @Override
        byte[] encrypt(byte[] key, byte[] plaintext, int length, long offset) {
            return new RC4(key).encrypt(plaintext, length);
        }

        @Override
        Cipher decryption(byte[] key, long offset) throws GeneralSecurityException {
            Cipher cipher = Cipher.getInstance("ARCFOUR");
            cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "ARCFOUR"));
            return cipher;
        }
    },
    /** AES in counter mode by the JDK. A chunk's counter starts at its offset, so no keystream repeats. */
    AES {
        @Override
        byte[] encrypt(byte[] key, byte[] plaintext, int length, long offset) {
            try {
                return counter(Cipher.ENCRYPT_MODE, key, offset).doFinal(plaintext, 0, length);
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        }

        @Override
        Cipher decryption(byte[] key, long offset) throws GeneralSecurityException {
            return counter(Cipher.DECRYPT_MODE, key, offset);
        }

        private Cipher counter(int mode, byte[] key, long offset) throws GeneralSecurityException {
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            byte[] block = ByteBuffer.allocate(16).putLong(8, offset / 16).array();
            cipher.init(mode, new SecretKeySpec(key, "AES"), new IvParameterSpec(block));
            return cipher;
        }
    };

    /** Encrypts the first {@code length} bytes of the plaintext; the offset is a multiple of 16. */
    abstract byte[] encrypt(byte[] key, byte[] plaintext, int length, long offset);

    /** Returns the JDK's cipher, ready to decrypt from the offset on. */
    abstract Cipher decryption(byte[] key, long offset) throws GeneralSecurityException;

    static Algorithm named(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
