import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;

/** Keys as in the paper, and the check of the output before a time is printed. */
final class Check {
    private static final int BUFFER = 1 << 16;

    /** Returns 128 random bits by SecureRandom and BigInteger (section 4.4), with leading zeros. */
    static byte[] randomKey() {
        byte[] digits = new BigInteger(128, new SecureRandom()).toByteArray();
        byte[] key = new byte[16];
        int length = Math.min(16, digits.length);
        System.arraycopy(digits, digits.length - length, key, 16 - length, length);
        return key;
    }

    /** Checks by the JDK's cipher that each chunk of the output decrypts to the input. */
    static void chunks(Path input, Path output, Algorithm algorithm, byte[] key, int chunk) throws IOException {
        if (Files.size(input) != Files.size(output)) {
            throw new IOException("the output has " + Files.size(output) + " bytes, not " + Files.size(input));
        }
        try (InputStream plain = new BufferedInputStream(Files.newInputStream(input), BUFFER);
                InputStream encrypted = new BufferedInputStream(Files.newInputStream(output), BUFFER)) {
            for (long offset = 0; offset < Files.size(input); offset += chunk) {
                Cipher cipher = algorithm.decryption(key, offset);
                long left = Math.min(chunk, Files.size(input) - offset);
                while (left > 0) {
                    int length = (int) Math.min(left, BUFFER);
                    byte[] decrypted = cipher.update(encrypted.readNBytes(length));
                    if (!Arrays.equals(decrypted, plain.readNBytes(length))) {
                        throw new IOException("the output does not decrypt to the input near byte " + offset);
                    }
                    left -= length;
                }
            }
        } catch (GeneralSecurityException error) {
            throw new IOException(error);
        }
    }
}
