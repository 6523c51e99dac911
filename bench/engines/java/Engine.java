import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** The protocol of bench/engines/README.md for the RC4 of the JDK, which calls it ARCFOUR. */
public final class Engine {
    private static final int KEY_BYTES = 16, KEYS = 4096;

    private final String path;
    private final byte[] keys = new byte[KEY_BYTES * KEYS], data;
    private final Cipher cipher = Cipher.getInstance("ARCFOUR");
    private int nextKey;
    private boolean streaming;

    private Engine(String path, int bytes) throws GeneralSecurityException {
        this.path = path;
        data = new byte[bytes];
    }

    private void reset() throws IOException {
        try (var file = new DataInputStream(new FileInputStream(path))) {
            file.readFully(keys);
            file.readFully(data);
        }
        nextKey = 0;
        streaming = false;
    }

    private void schedule(int key) throws GeneralSecurityException {
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(keys, key % KEYS * KEY_BYTES, KEY_BYTES, "ARCFOUR"));
    }

    private void apply(int at, int bytes) throws GeneralSecurityException {
        cipher.update(data, at, bytes, data, at);
    }

    private long run(String operation, int at, int bytes, long iterations) throws GeneralSecurityException {
        if (operation.equals("stream") && !streaming) {
            schedule(0);
        }
        streaming = operation.equals("stream");
        long start = System.nanoTime();
        switch (operation) {
            case "stream" -> {
                for (long n = 0; n < iterations; n++) apply(at, bytes);
            }
            case "setup" -> {
                for (long n = 0; n < iterations; n++) schedule(nextKey++);
            }
            case "message" -> {
                for (long n = 0; n < iterations; n++) {
                    schedule(nextKey++);
                    apply(at, bytes);
                }
            }
            default -> throw new IllegalArgumentException(operation);
        }
        long time = System.nanoTime() - start;
        if (operation.equals("setup")) apply(at, bytes);
        return time;
    }

    public static void main(String[] args) throws IOException, GeneralSecurityException {
        var engine = new Engine(args[0], Integer.parseInt(args[1]));
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        OutputStream answers = new BufferedOutputStream(System.out);
        var version = engine.cipher.getProvider().getName() + " of Java " + Runtime.version();
        answers.write(("jdk\t" + version + "\n\n").getBytes(StandardCharsets.US_ASCII));
        answers.flush();
        for (String line; (line = requests.readLine()) != null; ) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "reset" -> {
                    engine.reset();
                    answers.write("0\n".getBytes(StandardCharsets.US_ASCII));
                }
                case "dump" -> answers.write(engine.data, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                case "run" -> {
                    int at = Integer.parseInt(words[3]), bytes = Integer.parseInt(words[4]);
                    long nanoseconds = engine.run(words[2], at, bytes, Long.parseLong(words[5]));
                    answers.write((nanoseconds + "\n").getBytes(StandardCharsets.US_ASCII));
                }
                default -> throw new IllegalArgumentException(line);
            }
            answers.flush();
        }
    }
}
