import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The task of section 4.3: reads the chunk at an offset, encrypts it, and saves it in the folder.
 * As in the paper, all chunks have one key. With RC4 every chunk gets the same keystream.
 */
final class FileChunkAndEncrypt implements Runnable {
    static final int CHUNK = 10000;

    private final Path file;
    private final Path folder;
    private final Algorithm cipher;
    private final byte[] key;
    private final long offset;

    FileChunkAndEncrypt(Path file, Path folder, Algorithm cipher, byte[] key, long offset) {
        this.file = file;
        this.folder = folder;
        this.cipher = cipher;
        this.key = key;
        this.offset = offset;
    }

    @Override
    public void run() {
        try {
            readFragmentEncrypt();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void readFragmentEncrypt() throws IOException {
        byte[] fragment = new byte[CHUNK];
        int length = 0;
        try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
            input.seek(offset);
            for (int read; length < CHUNK && (read = input.read(fragment, length, CHUNK - length)) > 0; ) {
                length += read;
            }
        }
        Files.write(chunk(folder, offset), cipher.encrypt(key, fragment, length, offset));
    }

    static Path chunk(Path folder, long offset) {
        return folder.resolve("chunk-" + offset);
    }
}
