import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The paper's sequential program (section 4.2): java Sequential INPUT FOLDER RUNS [CIPHER].
 *
 * "Input file is read (without chunking) line by line and then the whole string buffer is encrypted by
 * RC4." Each run prints, in nanoseconds from the start, read,encrypted,saved.
 */
final class Sequential {
    public static void main(String[] arguments) throws IOException {
        Path input = Path.of(arguments[0]);
        Path output = Path.of(arguments[1]).resolve("encrypted");
        int runs = Integer.parseInt(arguments[2]);
        Algorithm cipher = Algorithm.named(arguments.length > 3 ? arguments[3] : "RC4");
        System.out.println("read,encrypted,saved");
        for (int run = 0; run < runs; run++) {
            measure(input, output, cipher);
        }
    }

    private static void measure(Path input, Path output, Algorithm cipher) throws IOException {
        byte[] key = Check.randomKey();
        Files.deleteIfExists(output);

        long start = System.nanoTime();
        StringBuffer text = new StringBuffer();
        try (BufferedReader reader = Files.newBufferedReader(input, StandardCharsets.ISO_8859_1)) {
            for (String line; (line = reader.readLine()) != null; ) {
                text.append(line).append('\n');
            }
        }
        byte[] plaintext = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        long read = System.nanoTime();
        byte[] ciphertext = cipher.encrypt(key, plaintext, plaintext.length, 0);
        long encrypted = System.nanoTime();
        Files.write(output, ciphertext);
        long saved = System.nanoTime();

        Check.chunks(input, output, cipher, key, Integer.MAX_VALUE);
        System.out.printf("%d,%d,%d%n", read - start, encrypted - start, saved - start);
    }
}
