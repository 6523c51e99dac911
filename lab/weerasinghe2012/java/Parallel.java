import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The paper's parallel program: java Parallel INPUT FOLDER RUNS [POLICY [CIPHER [THREADS]]].
 *
 * The paper's listing (section 4.3) reads the clock after the last execute(). The tasks are then submitted,
 * but not finished. This program reads the clock there and in two more places: when the pool has
 * ended, and when the chunk files are merged. Each run prints, in nanoseconds from the start,
 * submitted,encrypted,merged, then the largest number of threads and the number of tasks.
 *
 * POLICY is one of the ways in section 3 of the paper to run tasks: `cached` (newCachedThreadPool, the
 * paper's choice and the default), `fixed` (newFixedThreadPool of THREADS), `each` (a thread for every
 * task), `single` (all tasks one after the other in one thread).
 */
final class Parallel {
    private static final int LIMIT_SECONDS = 600;

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path input = Path.of(arguments[0]);
        Path folder = Path.of(arguments[1]);
        int runs = Integer.parseInt(arguments[2]);
        String policy = arguments.length > 3 ? arguments[3] : "cached";
        Algorithm cipher = Algorithm.named(arguments.length > 4 ? arguments[4] : "RC4");
        int threads = arguments.length > 5 ? Integer.parseInt(arguments[5]) : Runtime.getRuntime().availableProcessors();
        System.out.println("submitted,encrypted,merged,threads,tasks");
        for (int run = 0; run < runs; run++) {
            measure(input, folder, policy, cipher, threads);
        }
    }

    private static void measure(Path input, Path folder, String policy, Algorithm cipher, int threads)
            throws IOException, InterruptedException {
        byte[] key = Check.randomKey();
        Path output = folder.resolve("encrypted");
        Files.deleteIfExists(output);
        long size = Files.size(input);
        List<Thread> started = new ArrayList<>();
        ExecutorService executor = pool(policy, threads);
        int tasks = 0;

        long start = System.nanoTime();
        // The listing has i <= size: one task gets no bytes if CHUNK divides the size.
        for (long i = 0; i <= size; i = i + FileChunkAndEncrypt.CHUNK) {
            Runnable task = new FileChunkAndEncrypt(input, folder, cipher, key, i);
            if (executor != null) {
                executor.execute(task);
            } else {
                Thread thread = new Thread(task);
                started.add(thread);
                thread.start();
            }
            tasks++;
        }
        long submitted = System.nanoTime();
        int most = await(executor, started);
        long encrypted = System.nanoTime();
        merge(folder, size, output);
        long merged = System.nanoTime();

        Check.chunks(input, output, cipher, key, FileChunkAndEncrypt.CHUNK);
        System.out.printf("%d,%d,%d,%d,%d%n", submitted - start, encrypted - start, merged - start, most, tasks);
    }

    /** Returns the executor of a policy, or null if every task gets a thread. */
    private static ExecutorService pool(String policy, int threads) {
        return switch (policy) {
            case "cached" -> Executors.newCachedThreadPool();
            case "fixed" -> Executors.newFixedThreadPool(threads);
            case "single" -> Executors.newFixedThreadPool(1);
            case "each" -> null;
            default -> throw new IllegalArgumentException(policy + ": cached, fixed, single or each");
        };
    }

    /** Waits for all tasks. Returns the largest number of threads, for `each` the number of all threads. */
    private static int await(ExecutorService executor, List<Thread> started) throws IOException, InterruptedException {
        for (Thread thread : started) {
            thread.join();
        }
        if (executor == null) {
            return started.size();
        }
        executor.shutdown();
        if (!executor.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the tasks did not end in " + LIMIT_SECONDS + " seconds");
        }
        return ((ThreadPoolExecutor) executor).getLargestPoolSize();
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
