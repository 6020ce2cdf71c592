package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FlinkStorageTest {
    private static final int CHUNK = StorageOptions.SMALLEST_CHUNK;

    @TempDir
    Path folder;

    private final byte[] content = new byte[10 * CHUNK + 123];

    @BeforeEach
    void writeFile() throws IOException {
        new Random(1).nextBytes(content);
        Files.write(folder.resolve("shard"), content);
    }

    private Storage storage(FlakyFiles files, StorageOptions options) throws IOException {
        return new FlinkStorage(folder.toUri().toString(), files, options);
    }

    private static StorageOptions options(int requests, int retries, Duration timeout) {
        return new StorageOptions(requests, CHUNK, retries, timeout, null);
    }

    @Test
    void onlyTheRequestedRangesAreRead() throws IOException {
        FlakyFiles files = FlakyFiles.sound();
        try (RangedFile file =
                storage(files, options(2, 0, Duration.ofSeconds(30))).ranged("shard")) {
            for (int[] range : new int[][] {{0, 10}, {CHUNK - 1, 2}, {3 * CHUNK, 4 * CHUNK}, {content.length - 5, 5}}) {
                files.bytes.set(0);
                assertThat(file.read(range[0], range[1]))
                        .isEqualTo(Arrays.copyOfRange(content, range[0], range[0] + range[1]));
                assertThat(files.bytes).hasValue(range[1]);
            }
            assertThatThrownBy(() -> file.read(content.length - 4, 5))
                    .hasMessageEndingWith("shard: expected 5 bytes at offset " + (content.length - 4)
                            + ", found the end of the file at " + content.length);
        }
        assertThat(files.open).hasValue(0);
    }

    @Test
    void namesMayHaveBackslashesAndEscapedLetters() throws IOException {
        Storage storage = storage(FlakyFiles.sound(), options(2, 0, Duration.ofSeconds(30)));
        for (String name : new String[] {"a\\b.png", "a b+c%2Fd?e#f.png", "\u00FC.png"}) {
            Files.write(folder.resolve(name), name.getBytes(StandardCharsets.UTF_8));

            assertThat(storage.read(name)).isEqualTo(name.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void retriedReadsReturnTheWholeContent() throws IOException {
        Random random = new Random(2);
        FlakyFiles files = new FlakyFiles(number -> {
            synchronized (random) {
                if (random.nextBoolean()) {
                    throw new SocketException("Connection reset");
                }
            }
        });
        Storage storage = storage(files, options(4, 20, Duration.ofSeconds(30)));

        assertThat(storage.read("shard")).isEqualTo(content);
        try (RangedFile file = storage.ranged("shard")) {
            assertThat(file.read(0, content.length)).isEqualTo(content);
        }
        try (InputStream in = storage.open("shard")) {
            assertThat(in.readAllBytes()).isEqualTo(content);
        }
        assertThat(files.open).hasValue(0);
    }

    @Test
    void largeReadsAreDividedWithinTheLimitOfPendingRequests() throws IOException {
        CountDownLatch three = new CountDownLatch(3);
        FlakyFiles files = new FlakyFiles(number -> {
            three.countDown();
            await(three);
        });
        try (RangedFile file =
                storage(files, options(3, 0, Duration.ofSeconds(30))).ranged("shard")) {
            assertThat(file.read(0, content.length)).isEqualTo(content);
        }
        assertThat(files.mostPending).hasValue(3);
    }

    @Test
    void manyThreadsReadOneFile() throws IOException {
        FlakyFiles files = FlakyFiles.sound();
        try (RangedFile file =
                storage(files, options(8, 0, Duration.ofSeconds(30))).ranged("shard")) {
            boolean same = IntStream.range(0, 2000).parallel().allMatch(i -> {
                int from = i * 300 % (content.length - 500);
                try {
                    return Arrays.equals(file.read(from, 500), Arrays.copyOfRange(content, from, from + 500));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(same).isTrue();
            assertThat(files.mostPending.get()).isLessThanOrEqualTo(8);
        }
        assertThat(files.open).hasValue(0);
    }

    @Test
    void requestThatFailsEachTimeIsReportedWithTheLastFailure() throws IOException {
        FlakyFiles files = new FlakyFiles(number -> {
            throw new SocketException("Connection reset");
        });
        Storage storage = storage(files, options(2, 2, Duration.ofSeconds(30)));

        assertThatThrownBy(() -> storage.read("shard"))
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith("/shard cannot be read, tried 3 times: Connection reset");
        assertThat(files.requests).hasValue(3);
        assertThat(files.open).hasValue(0);
    }

    @Test
    void permanentFailureIsNotRetried() throws IOException {
        FlakyFiles files = new FlakyFiles(number -> {
            throw new AccessDeniedException("s3://b/shard", null, "Forbidden (403)");
        });
        Storage storage = storage(files, options(2, 5, Duration.ofSeconds(30)));

        assertThatThrownBy(() -> storage.read("shard"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("/shard: access denied: the credentials are wrong or do not allow reading it");
        assertThat(files.requests).hasValue(1);
    }

    @Test
    void stalledRequestIsAbandonedAndSentAgain() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        FlakyFiles files = new FlakyFiles(number -> {
            if (number == 0) {
                await(end);
            }
        });
        Storage storage = storage(files, options(5, 1, Duration.ofMillis(300)));

        assertThat(storage.read("shard")).isEqualTo(content);
        end.countDown();
    }

    @Test
    void interruptEndsAWaitAtOnceAlthoughTheRequestIgnoresIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        FlakyFiles files = new FlakyFiles(number -> {
            begun.countDown();
            awaitUninterruptibly(end);
        });
        Storage storage = storage(files, options(6, 5, Duration.ofMinutes(5)));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                storage.read("shard");
            } catch (IOException e) {
                thrown.set(e);
            }
        });
        reader.start();
        begun.await();

        reader.interrupt();
        reader.join();

        assertThat(thrown.get()).isInstanceOf(InterruptedIOException.class).hasMessageContaining("/shard");
        end.countDown();
    }

    @Test
    void fileThatChangesWhileItIsReadIsReported() throws IOException {
        FlakyFiles files = new FlakyFiles(number -> {
            if (number == 1) {
                throw new SocketException("Connection reset");
            }
        });
        try (RangedFile file =
                storage(files, options(2, 3, Duration.ofSeconds(30))).ranged("shard")) {
            file.read(0, 100);
            Files.write(folder.resolve("shard"), new byte[77]);

            assertThatThrownBy(() -> file.read(1000, 100))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageEndingWith("/shard has changed since it was opened: it had " + content.length
                            + " bytes then and has 77 now; start the run again");
        }
    }

    @Test
    void fileThatVanishesIsReported() throws IOException {
        try (RangedFile file = storage(FlakyFiles.sound(), options(2, 3, Duration.ofSeconds(30)))
                .ranged("shard")) {
            Files.delete(folder.resolve("shard"));

            assertThatThrownBy(() -> file.read(0, 100))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageEndingWith("/shard is gone: it had " + content.length + " bytes when it was opened");
        }
    }

    @Test
    void localCopyWithoutACacheIsRefused() throws IOException {
        Storage storage = storage(FlakyFiles.sound(), StorageOptions.STANDARD);

        assertThatThrownBy(() -> storage.localCopy("shard"))
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith(
                        "/shard can only be read from a copy on this machine: configure a cache, for example"
                                + " storage: {cache: {folder: /data/cache, size: 100GB}}");
    }

    @Test
    void pausesDoubleAndAreBounded() {
        for (int tries = 1; tries < 100; tries++) {
            long most = Math.min(5000, 100L << Math.min(tries - 1, 30));
            assertThat(Requests.pauseMillis(tries)).isBetween(most / 2, most);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
