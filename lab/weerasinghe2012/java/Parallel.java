import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The paper's parallel program: java Parallel INPUT FOLDER RUNS.
 *
 * Its listing (section 4.3) takes the time after the last execute(), when the tasks are submitted and
 * before any is waited for. Here the clock is read there and in three places more: when the pool has
 * ended, and when the chunk files are merged. Each run prints, in nanoseconds from the start,
 * submitted,encrypted,merged and how many threads the pool grew to.
 */
final class Parallel {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path input = Path.of(arguments[0]);
        Path folder = Path.of(arguments[1]);
        int runs = Integer.parseInt(arguments[2]);
        System.out.println("submitted,encrypted,merged,threads");
        for (int run = 0; run < runs; run++) {
            measure(input, folder);
        }
    }

    private static void measure(Path input, Path folder) throws IOException, InterruptedException {
        byte[] key = Check.randomKey();
        Path output = folder.resolve("encrypted");
        Files.deleteIfExists(output);
        long size = Files.size(input);
        ThreadPoolExecutor executor = (ThreadPoolExecutor) Executors.newCachedThreadPool();

        long start = System.nanoTime();
        // The listing has i <= size: where the size is a multiple of the chunk, one task finds nothing.
        for (long i = 0; i <= size; i = i + FileChunkAndEncrypt.CHUNK) {
            executor.execute(new FileChunkAndEncrypt(input, folder, key, i));
        }
        long submitted = System.nanoTime();
        executor.shutdown();
        if (!executor.awaitTermination(600, TimeUnit.SECONDS)) {
            throw new IOException("the tasks did not end in 600 seconds");
        }
        long encrypted = System.nanoTime();
        merge(folder, size, output);
        long merged = System.nanoTime();

        Check.chunks(input, output, key, FileChunkAndEncrypt.CHUNK);
        System.out.printf("%d,%d,%d,%d%n", submitted - start, encrypted - start, merged - start,
                executor.getLargestPoolSize());
    }

    private static void merge(Path folder, long size, Path output) throws IOException {
        try (OutputStream whole = Files.newOutputStream(output)) {
            for (long i = 0; i <= size; i = i + FileChunkAndEncrypt.CHUNK) {
                Path chunk = FileChunkAndEncrypt.chunk(folder, i);
                Files.copy(chunk, whole);
                Files.delete(chunk);
            }
        }
    }
}
