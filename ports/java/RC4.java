import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * rc4: encrypt or decrypt a text with RC4. The program of Galvane &amp; Uzel (2012) in Java.
 *
 * <pre>
 *     javac RC4.java
 *     printf Baptiste | java RC4 --out-hexa Quentin
 * </pre>
 *
 * RC4 is broken: use it to read old data and to study it, never to protect anything new.
 *
 * <p>Unlike the paper's, this program reads and writes a block at a time. It starts at once and its
 * memory does not grow with the input. {@code --paper-version=V1} … {@code V4} chooses one of the
 * four versions of the paper's section 5; ../README.md has their figures.
 */
public final class RC4 {
    static final int N = 256;
    static final int KEY_MAX = 256;
    static final int BLOCK = 65536;

    static final String USAGE =
            "Usage: rc4 [OPTION]... KEY\n"
            + "Encrypt or decrypt a plain/cipher text using the RC4 algorithm\n"
            + "The input text will be read from stdin and en/decrypted using the key KEY\n"
            + "  --bench=N        benchmark mode, encrypts N random bytes\n"
            + "  --bench-loop=M   the encryption will be run M times, default is 1\n"
            + "  --in-hexa        input text will be interpreted as hexa, default is raw\n"
            + "  --out-hexa       output text will be written in hexa, default is raw\n";

    // ---- The cipher -----------------------------------------------------------------------------

    /** One stream and the text it encrypts, in the types of one version of the paper. */
    abstract static class Cipher {
        int i, j;

        /** The key-scheduling algorithm. */
        abstract void ksa(byte[] key);

        /** Takes {@code length} bytes of text to encrypt. */
        abstract void load(byte[] text, int length);

        /** Encrypts or decrypts the loaded text. */
        abstract void encrypt();

        /** Returns the result, with the length of the loaded text. */
        abstract void store(byte[] text);

        /** Overwrites the state. */
        abstract void wipe();
    }

    /**
     * V1, the initial design: bytes everywhere, the whole keystream first, then the xor. Java's
     * bytes are signed, so {@link #posValue} stands wherever a byte of a table becomes an index.
     */
    static class V1 extends Cipher {
        byte[] s = new byte[N];
        byte[] plaintext, output;

        static int posValue(byte b) {
            return b >= 0 ? b : b + 256;
        }

        @Override
        void ksa(byte[] key) {
            for (int i = 0; i < N; i++) {
                s[i] = (byte) i;
            }
            int j = 0;
            for (int i = 0; i < N; i++) {
                j = (j + posValue(s[i]) + posValue(key[i % key.length])) % 256;
                byte tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
            }
            this.i = this.j = 0;
        }

        /** The pseudo-random generation algorithm: {@code length} bytes of keystream. */
        byte[] prga(int length) {
            byte[] keystream = new byte[length];
            int i = this.i, j = this.j;
            for (int nb = 0; nb < length; nb++) {
                i = (i + 1) % 256;
                j = (j + posValue(s[i])) % 256;
                byte tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
                keystream[nb] = s[(posValue(s[i]) + posValue(s[j])) % 256];
            }
            this.i = i;
            this.j = j;
            return keystream;
        }

        @Override
        void load(byte[] text, int length) {
            plaintext = Arrays.copyOf(text, length);
            output = new byte[length];
        }

        @Override
        void encrypt() {
            byte[] keystream = prga(plaintext.length);
            for (int nb = 0; nb < plaintext.length; nb++) {
                output[nb] = (byte) (plaintext[nb] ^ keystream[nb]);
            }
        }

        @Override
        void store(byte[] text) {
            System.arraycopy(output, 0, text, 0, output.length);
        }

        @Override
        void wipe() {
            Arrays.fill(s, (byte) 0);
            i = j = 0;
        }
    }

    /** V2: shorts instead of bytes. No value of 0 to 255 is negative as a short, so no posValue. */
    static class V2 extends Cipher {
        short[] s = new short[N];
        short[] plaintext, output;

        @Override
        void ksa(byte[] key) {
            short[] k = shorts(key, key.length);
            for (short i = 0; i < N; i++) {
                s[i] = i;
            }
            int j = 0;
            for (int i = 0; i < N; i++) {
                j = (j + s[i] + k[i % k.length]) % 256;
                short tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
            }
            Arrays.fill(k, (short) 0);
            this.i = this.j = 0;
        }

        short[] prga(int length) {
            short[] keystream = new short[length];
            int i = this.i, j = this.j;
            for (int nb = 0; nb < length; nb++) {
                i = (i + 1) % 256;
                j = (j + s[i]) % 256;
                short tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
                keystream[nb] = s[(s[i] + s[j]) % 256];
            }
            this.i = i;
            this.j = j;
            return keystream;
        }

        static short[] shorts(byte[] bytes, int length) {
            short[] shorts = new short[length];
            for (int nb = 0; nb < length; nb++) {
                shorts[nb] = (short) (bytes[nb] & 255);
            }
            return shorts;
        }

        @Override
        void load(byte[] text, int length) {
            plaintext = shorts(text, length);
            output = new short[length];
        }

        @Override
        void encrypt() {
            short[] keystream = prga(plaintext.length);
            for (int nb = 0; nb < plaintext.length; nb++) {
                output[nb] = (short) (plaintext[nb] ^ keystream[nb]);
            }
        }

        @Override
        void store(byte[] text) {
            for (int nb = 0; nb < output.length; nb++) {
                text[nb] = (byte) output[nb];
            }
        }

        @Override
        void wipe() {
            Arrays.fill(s, (short) 0);
            i = j = 0;
        }
    }

    /**
     * V3: V2 with {@code & 255} for {@code % 256}. A JIT compiles both alike if it knows that
     * the value is not negative; the interpreter divides.
     */
    static class V3 extends V2 {
        @Override
        void ksa(byte[] key) {
            short[] k = shorts(key, key.length);
            for (short i = 0; i < N; i++) {
                s[i] = i;
            }
            int j = 0;
            for (int i = 0; i < N; i++) {
                j = (j + s[i] + k[i % k.length]) & 255;
                short tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
            }
            Arrays.fill(k, (short) 0);
            this.i = this.j = 0;
        }

        @Override
        short[] prga(int length) {
            short[] keystream = new short[length];
            int i = this.i, j = this.j;
            for (int nb = 0; nb < length; nb++) {
                i = (i + 1) & 255;
                j = (j + s[i]) & 255;
                short tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
                keystream[nb] = s[(s[i] + s[j]) & 255];
            }
            this.i = i;
            this.j = j;
            return keystream;
        }
    }

    /** V4: V3 with the output made in the PRGA, without an array of keystream. */
    static class V4 extends V3 {
        @Override
        void encrypt() {
            int i = this.i, j = this.j;
            for (int nb = 0; nb < plaintext.length; nb++) {
                i = (i + 1) & 255;
                j = (j + s[i]) & 255;
                short tmp = s[i];
                s[i] = s[j];
                s[j] = tmp;
                output[nb] = (short) (plaintext[nb] ^ s[(s[i] + s[j]) & 255]);
            }
            this.i = i;
            this.j = j;
        }
    }

    // ---- The end of the program -----------------------------------------------------------------

    /** Ends the program from the place where it is thrown, with a status and possibly a message. */
    @SuppressWarnings("serial")
    static final class End extends RuntimeException {
        final int status;

        End(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }
    }

    static End fail(int status, String message) {
        return new End(status, message);
    }

    // ---- Input and output -----------------------------------------------------------------------

    static final FileInputStream STDIN = new FileInputStream(FileDescriptor.in);
    static final FileOutputStream STDOUT = new FileOutputStream(FileDescriptor.out);

    /** Reads at most a buffer. Returns 0 at the end of the input. */
    static int readSome(byte[] buffer) {
        try {
            return Math.max(STDIN.read(buffer), 0);
        } catch (IOException e) {
            throw fail(1, "cannot read standard input: " + e.getMessage());
        }
    }

    /** Writes all bytes. If the reader has closed the pipe, the program ends with status 0. */
    static void writeAll(byte[] bytes, int length) {
        try {
            STDOUT.write(bytes, 0, length);
        } catch (IOException e) {
            if (brokenPipe().equals(e.getMessage())) { // Java reports EPIPE only by this text
                throw new End(0, null);
            }
            throw fail(1, "cannot write standard output: " + e.getMessage());
        }
    }

    /** The system's text for EPIPE. It is in the user's language, so a pipe that is closed tells it. */
    static String brokenPipe() {
        try {
            Pipe pipe = Pipe.open();
            pipe.source().close();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                sink.write(ByteBuffer.allocate(1));
            }
        } catch (IOException e) {
            return e.getMessage();
        }
        throw new AssertionError("a write to a closed pipe succeeded");
    }

    /** Linux's names for the two streams, because Java's streams have no file type. */
    static final Path IN = Path.of("/proc/self/fd/0");
    static final Path OUT = Path.of("/proc/self/fd/1");

    /** Returns true if the output is a terminal. */
    static boolean isTerminal() {
        try {
            String name = Files.readSymbolicLink(OUT).toString();
            return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    /** The state of the hexadecimal reader between two blocks. */
    static final class Hex {
        static final String NO_DIGIT = "is not a hexadecimal digit; allowed are 0-9, a-f and A-F";
        static final String BEHIND =
                "comes after a line end; one is allowed, as the last of the input";

        long offset; // of the next character of the input
        long digits; // digits read: if odd, the last one is in `high`
        int high;
        int lineEnd; // '\r' or '\n', if that was the last character
        String error; // what stopped decode, or null

        /** The error for an invalid character at {@code offset}. */
        static String error(long offset, int c, String what) {
            String shown = c >= ' ' && c <= '~'
                    ? "'" + (char) c + "'"
                    : "byte 0x" + Integer.toHexString(256 + c).substring(1);
            return "offset " + offset + ": " + shown + " " + what;
        }

        /**
         * Decodes {@code length} characters in place and returns the number of bytes they make. One
         * line end, LF or CR LF, may close the input.
         */
        int decode(byte[] text, int length) {
            int out = 0;
            for (int k = 0; k < length; k++, offset++) {
                int c = text[k] & 255;
                int value = c < 128 ? Character.digit(c, 16) : -1;
                if (lineEnd == '\n') {
                    error = error(offset, c, BEHIND);
                } else if (lineEnd == '\r' && c != '\n') {
                    error = error(offset - 1, '\r', NO_DIGIT);
                } else if (c == '\n' || c == '\r') {
                    lineEnd = c;
                } else if (value < 0) {
                    error = error(offset, c, NO_DIGIT);
                } else if (digits++ % 2 == 0) {
                    high = value << 4;
                } else {
                    text[out++] = (byte) (high | value);
                }
                if (error != null) {
                    break;
                }
            }
            return out;
        }

        /** Returns the error in an input that has ended, or null. */
        String end() {
            if (lineEnd == '\r') {
                return error(offset - 1, '\r', NO_DIGIT);
            }
            return digits % 2 == 0
                    ? null
                    : "offset " + digits
                            + ": the digits end in the middle of a byte; each byte has two";
        }

        /** Encodes {@code length} bytes as lower-case digits. */
        static void encode(byte[] bytes, int length, byte[] out) {
            for (int k = 0; k < length; k++) {
                out[2 * k] = (byte) "0123456789abcdef".charAt(bytes[k] >> 4 & 15);
                out[2 * k + 1] = (byte) "0123456789abcdef".charAt(bytes[k] & 15);
            }
        }
    }

    // ---- The two modes --------------------------------------------------------------------------

    /** Standard mode: stdin to stdout, block by block, until the input ends. */
    static void filter(Cipher cipher, boolean inHexa, boolean outHexa) {
        // If a program reads a file and appends to it, it never reaches the end.
        try {
            if (Files.isRegularFile(IN) && Files.isSameFile(IN, OUT)) {
                throw fail(2, "the output standard output is the input standard input; choose "
                        + "another output");
            }
        } catch (IOException e) {
            // Not files that have a name, or not Linux.
        }

        byte[] text = new byte[BLOCK];
        byte[] digits = new byte[2 * BLOCK];
        Hex hex = new Hex();
        int length;
        while ((length = readSome(text)) > 0) {
            if (inHexa) {
                length = hex.decode(text, length);
            }
            cipher.load(text, length);
            cipher.encrypt();
            cipher.store(text);
            if (outHexa) {
                Hex.encode(text, length, digits);
                writeAll(digits, 2 * length);
            } else {
                writeAll(text, length);
            }
            if (hex.error != null) {
                break;
            }
        }
        String error = hex.error != null ? hex.error : hex.end();
        if (error != null) {
            throw fail(1, "cannot decode the input: " + error);
        }
        if (outHexa && isTerminal()) {
            writeAll(new byte[] {'\n'}, 1);
        }
    }

    /** Benchmark mode: {@code length} random bytes, key schedule and encryption, loop times. */
    static void bench(Cipher cipher, byte[] key, long length, long loop) {
        byte[] plain;
        byte[] text;
        try {
            plain = new byte[Math.toIntExact(length)];
            text = new byte[plain.length];
            cipher.load(plain, plain.length);
        } catch (ArithmeticException | OutOfMemoryError e) {
            throw fail(1, "--bench=" + length + ": not enough memory for this many bytes");
        }
        new Random().nextBytes(plain);
        cipher.load(plain, plain.length);

        long elapsed = System.nanoTime();
        for (long m = 0; m != loop; m++) {
            cipher.ksa(key);
            cipher.encrypt();
        }
        elapsed = Math.max(System.nanoTime() - elapsed, 1);

        // Checks the result before it prints a time.
        cipher.store(text);
        V1 definition = new V1();
        definition.ksa(key);
        byte[] stream = definition.prga(Math.min(plain.length, BLOCK));
        for (int k = 0; k < stream.length; k++) {
            if (text[k] != (byte) (plain[k] ^ stream[k])) {
                throw fail(1, "the benchmark's output is wrong at byte " + k);
            }
        }

        byte[] line = String.format(Locale.ROOT,
                "encryption time = %.3f us%nthroughput      = %.1f MB/s%n",
                elapsed / 1e3 / loop, length * 1e3 * loop / elapsed)
                .getBytes(StandardCharsets.US_ASCII);
        writeAll(line, line.length);
    }

    // ---- The command line -----------------------------------------------------------------------

    /** The values of the arguments. */
    static boolean inHexa, outHexa;
    static long bench, benchLoop; // 0: not given; benchLoop is unsigned
    static byte[] key;
    static Cipher cipher = new V4();

    /** Returns true for an option without a value. */
    static boolean flag(String name, String value, boolean given) {
        if (value != null) {
            throw fail(2, "unexpected value '" + value + "' for '" + name
                    + "' found; no more were expected");
        }
        if (given) {
            throw fail(2, "the argument '" + name + "' cannot be used multiple times");
        }
        return true;
    }

    /** Returns the number of an option, unsigned. */
    static long number(String name, char letter, String value, long min, long max, long given) {
        String shown = name + "=<" + letter + ">";
        if (value == null) {
            throw fail(2, "equal sign is needed when assigning values to '" + shown + "'");
        }
        if (given != 0) {
            throw fail(2, "the argument '" + shown + "' cannot be used multiple times");
        }
        BigInteger n = value.matches("\\+?[0-9]+") ? new BigInteger(value) : BigInteger.ZERO;
        BigInteger high = new BigInteger(Long.toUnsignedString(max));
        if (n.compareTo(BigInteger.valueOf(min)) < 0 || n.compareTo(high) > 0) {
            throw fail(2, "invalid value '" + value + "' for '" + shown + "': " + letter
                    + " is a whole number from " + min + " to " + high);
        }
        return n.longValue();
    }

    /** Returns the version with this name. */
    static Cipher findVersion(String name) {
        return switch (name == null ? "" : name) {
            case "V1" -> new V1();
            case "V2" -> new V2();
            case "V3" -> new V3();
            case "V4" -> new V4();
            default -> throw fail(2, "--paper-version is one of V1, V2, V3 and V4");
        };
    }

    /** Takes an option: its name, and its value after the equal sign if there is one. */
    static void option(String argument) {
        int equal = argument.indexOf('=');
        String name = equal < 0 ? argument : argument.substring(0, equal);
        String value = equal < 0 ? null : argument.substring(equal + 1);
        if (key != null) {
            throw fail(2, "the option " + name + " comes after the KEY; the KEY goes last");
        }
        switch (name) {
            case "--bench" -> bench = number(name, 'N', value, 2, Long.MAX_VALUE, bench);
            case "--bench-loop" -> benchLoop = number(name, 'M', value, 1, -1, benchLoop);
            case "--in-hexa" -> inHexa = flag(name, value, inHexa);
            case "--out-hexa" -> outHexa = flag(name, value, outHexa);
            case "--paper-version" -> cipher = findVersion(value);
            default -> throw fail(2, "unknown option '" + name
                    + "'; there are --bench=N, --bench-loop=M, --in-hexa and --out-hexa");
        }
    }

    /** Takes the key, the only argument that is not an option. */
    static void takeKey(String argument) {
        if (key != null) {
            throw fail(2, "unexpected '" + argument + "' after the KEY; there is one KEY, given "
                    + "last, and the input is read from stdin");
        }
        for (int offset = 0; offset < argument.length(); offset++) {
            if (argument.charAt(offset) > 127) {
                throw fail(2, "the key has a byte that is not ASCII at offset " + offset
                        + "; `arcfour crypt` takes keys of any bytes");
            }
        }
        if (argument.length() < 1 || argument.length() > KEY_MAX) {
            throw fail(2, "the key has " + argument.length() + " bytes; it must have 1 to 256");
        }
        key = argument.getBytes(StandardCharsets.US_ASCII);
    }

    static void run(String[] args) {
        boolean options = true;
        for (String argument : args) {
            if (options && argument.equals("--")) {
                options = false;
            } else if (options && argument.startsWith("-") && !argument.equals("-")) {
                option(argument);
            } else {
                takeKey(argument);
            }
        }
        if (key == null) {
            throw fail(2, "no KEY; it is 1 to 256 ASCII characters, given last");
        }
        if (benchLoop != 0 && bench == 0) {
            throw fail(2, "--bench-loop=M needs --bench=N, the number of bytes to encrypt");
        }

        // Wipes the bytes of the key; the argument, a String, cannot be wiped.
        try {
            if (bench != 0) {
                bench(cipher, key, bench, benchLoop != 0 ? benchLoop : 1);
            } else {
                cipher.ksa(key);
                Arrays.fill(key, (byte) 0);
                filter(cipher, inHexa, outHexa);
            }
        } finally {
            Arrays.fill(key, (byte) 0);
            cipher.wipe();
        }
    }

    public static void main(String[] args) {
        int status = 0;
        try {
            run(args);
        } catch (End end) {
            status = end.status;
            if (status != 0) {
                System.err.print("rc4: " + end.getMessage() + "\n" + (status == 2 ? USAGE : ""));
            }
        }
        System.exit(status);
    }
}
