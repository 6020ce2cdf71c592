package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StorageOptions.CacheOptions;
import io.millrace.dataset.storage.ShardCache.Piece;
import io.millrace.dataset.storage.ShardCache.Pin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardCacheTest {
    private static final int CHUNK = StorageOptions.SMALLEST_CHUNK;

    @TempDir
    Path folder;

    private final AtomicInteger loads = new AtomicInteger();

    private static Piece piece(String file, long bytes) {
        return new Piece(file, new Storage.FileState(bytes, 1), 0, bytes);
    }

    private Pin pin(ShardCache cache, String file, int bytes) throws IOException {
        return cache.pin(piece(file, bytes), target -> {
                    loads.incrementAndGet();
                    target.write(0, content(file, bytes));
                })
                .orElseThrow();
    }

    private static byte[] content(String file, int bytes) {
        byte[] content = new byte[bytes];
        new Random(file.hashCode()).nextBytes(content);
        return content;
    }

    private void use(ShardCache cache, String file, int bytes) throws IOException {
        try (Pin pin = pin(cache, file, bytes)) {
            assertThat(pin.path()).hasBinaryContent(content(file, bytes));
        }
    }

    private long bytesOnDisk() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    @Test
    void cachedPieceIsNotLoadedAgain() throws IOException {
        ShardCache cache = ShardCache.open(folder, 100);
        for (int i = 0; i < 3; i++) {
            use(cache, "a", 40);
            use(cache, "b", 40);
        }
        assertThat(loads).hasValue(2);
    }

    @Test
    void pieceOfAnotherStateOrRangeIsLoaded() throws IOException {
        ShardCache cache = ShardCache.open(folder, 1000);
        for (Piece piece : List.of(
                new Piece("a", new Storage.FileState(10, 1), 0, 10),
                new Piece("a", new Storage.FileState(10, 2), 0, 10),
                new Piece("a", new Storage.FileState(11, 1), 0, 10),
                new Piece("a", new Storage.FileState(10, 1), 1, 10),
                new Piece("b", new Storage.FileState(10, 1), 0, 10))) {
            cache.pin(piece, target -> {
                        loads.incrementAndGet();
                        target.write(0, new byte[10]);
                    })
                    .orElseThrow()
                    .close();
        }
        assertThat(loads).hasValue(5);
    }

    @Test
    void leastRecentlyUsedPieceIsRemovedToHoldTheLimit() throws IOException {
        ShardCache cache = ShardCache.open(folder, 100);
        use(cache, "a", 40);
        use(cache, "b", 40);
        use(cache, "a", 40);

        use(cache, "c", 40);

        assertThat(bytesOnDisk()).isEqualTo(80).isEqualTo(cache.usedBytes());
        use(cache, "a", 40);
        assertThat(loads).hasValue(3);
        use(cache, "b", 40);
        assertThat(loads).hasValue(4);
    }

    @Test
    void pieceInUseStaysAndPiecesWithoutRoomAreNotCached() throws IOException {
        ShardCache cache = ShardCache.open(folder, 100);
        try (Pin a = pin(cache, "a", 60)) {
            assertThat(cache.pin(piece("b", 60), target -> loads.incrementAndGet()))
                    .isEmpty();
            assertThat(a.path()).hasBinaryContent(content("a", 60));
            use(cache, "c", 30);
            use(cache, "d", 30);
            assertThat(a.path()).hasBinaryContent(content("a", 60));
        }
        use(cache, "b", 60);
        assertThat(cache.pin(piece("larger than all", 101), target -> loads.incrementAndGet()))
                .isEmpty();
        assertThat(loads).hasValue(4);
    }

    @Test
    void nextProcessFindsWholeFilesAndRemovesUnfinishedOnes() throws IOException {
        CacheFolder before = CacheFolder.lockFirstFree(folder);
        String whole = "00112233445566778899aabbccddeeff-3";
        Path wholeFile = write(before.file(whole), new byte[3]);
        Path cut = write(before.file("11112233445566778899aabbccddeeff-30"), new byte[29]);
        Path part = write(before.file(whole + ".part"), new byte[2]);
        Path stranger = write(before.path().resolve("notes.txt"), new byte[4]);

        assertThat(before.scan()).containsExactly(new CacheFolder.Found(whole, 3));
        before.release();
        CacheFolder after = CacheFolder.lockFirstFree(folder);

        assertThat(after.path()).isEqualTo(before.path());
        assertThat(wholeFile).exists();
        assertThat(stranger).exists();
        assertThat(cut).doesNotExist();
        assertThat(part).doesNotExist();
    }

    private static Path write(Path file, byte[] bytes) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.write(file, bytes);
    }

    @Test
    void processesAtTheSameTimeUseDifferentFolders() throws IOException {
        ShardCache one = ShardCache.open(folder, 100);
        ShardCache other = ShardCache.open(folder, 100);

        try (Pin a = pin(one, "a", 90);
                Pin same = pin(other, "a", 90)) {
            assertThat(same.path()).isNotEqualTo(a.path());
            use(other, "b", 5);
        }
        use(other, "c", 60);
        use(one, "a", 90);
        assertThat(loads).hasValue(4);
    }

    @Test
    void threadsThatRequestTheSamePieceWaitForOneLoad() throws IOException {
        ShardCache cache = ShardCache.open(folder, 1000);

        IntStream.range(0, 400).parallel().forEach(i -> {
            try {
                use(cache, "file " + i % 4, 100);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(loads).hasValue(4);
    }

    @Test
    void manyThreadsInASmallCacheReadTheRightBytes() throws IOException {
        ShardCache cache = ShardCache.open(folder, 250);

        IntStream.range(0, 3000).parallel().forEach(i -> {
            String file = "file " + i * 7 % 11;
            try {
                cache.pin(piece(file, 100), target -> target.write(0, content(file, 100)))
                        .ifPresent(pin -> {
                            assertThat(pin.path()).hasBinaryContent(content(file, 100));
                            pin.close();
                        });
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(cache.usedBytes()).isLessThanOrEqualTo(250).isEqualTo(bytesOnDisk());
    }

    @Test
    void failedLoadLeavesNothingAndIsRetried() throws IOException {
        ShardCache cache = ShardCache.open(folder, 100);
        assertThatThrownBy(() -> cache.pin(piece("a", 40), target -> {
                    target.write(0, new byte[20]);
                    throw new IOException("connection reset");
                }))
                .hasMessage("connection reset");
        assertThat(bytesOnDisk()).isZero();

        use(cache, "a", 40);
    }

    @Test
    void cacheOnADiskThatCannotBeWrittenKeepsItsPieces() throws IOException {
        ShardCache cache = ShardCache.open(folder, 100_000);
        use(cache, "a", 40);
        // A file in place of each possible folder of a piece prevents the cache from creating the folder.
        blockNewFolders();

        assertThat(IntStream.range(0, 600)
                        .mapToObj(i -> tryPin(cache, "file " + i))
                        .filter(Optional::isEmpty))
                .isNotEmpty();
        use(cache, "a", 40);
        assertThat(loads).hasValue(1);
        assertThat(cache.usedBytes()).isEqualTo(40);
    }

    private Optional<Pin> tryPin(ShardCache cache, String file) {
        try {
            return cache.pin(piece(file, 10), target -> target.write(0, new byte[10]));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void blockNewFolders() throws IOException {
        for (int i = 0; i < 256; i++) {
            Path place = folder.resolve("0").resolve(String.format("%02x", i));
            if (!Files.exists(place)) {
                Files.createFile(place);
            }
        }
    }

    @Test
    void pieceThatAnotherProgramRemovedIsLoadedAgain() throws IOException {
        ShardCache cache = ShardCache.open(folder, 100);
        Path path;
        try (Pin pin = pin(cache, "a", 40)) {
            path = pin.path();
        }
        Files.delete(path);

        use(cache, "a", 40);

        assertThat(loads).hasValue(2);
        assertThat(cache.usedBytes()).isEqualTo(40);
    }

    @Test
    void folderThatCannotBeUsedIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));

        assertThatThrownBy(() -> ShardCache.of(new CacheOptions(file.toString(), 10)))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("the cache's folder " + file + " cannot be used: ");
    }

    @Test
    void secondReadOfAFileSendsNoRequestToTheStorage() throws IOException {
        byte[] content = content("shard", 5 * CHUNK + 17);
        Path data = Files.createDirectories(folder.resolve("data"));
        Files.write(data.resolve("shard"), content);
        Files.write(data.resolve("small"), new byte[] {1, 2, 3});
        FlakyFiles files = FlakyFiles.sound();
        StorageOptions options = new StorageOptions(
                4,
                CHUNK,
                0,
                Duration.ofSeconds(30),
                new CacheOptions(folder.resolve("cache").toString(), 1 << 20));
        FlinkStorage storage = new FlinkStorage(data.toUri().toString(), files, options);

        try (RangedFile file = storage.ranged("shard")) {
            assertThat(file.read(CHUNK - 7, 14)).isEqualTo(Arrays.copyOfRange(content, CHUNK - 7, CHUNK + 7));
            assertThat(files.bytes).hasValue(2L * CHUNK);
            assertThat(file.read(0, content.length)).isEqualTo(content);
            assertThat(files.bytes).hasValue(content.length);
            assertThat(file.read(5 * CHUNK + 1, 16)).hasSize(16);
        }
        assertThat(storage.read("small")).containsExactly(1, 2, 3);
        assertThat(storage.read("small")).containsExactly(1, 2, 3);
        assertThat(files.bytes).hasValue(content.length + 3L);
        try (LocalCopy copy = storage.localCopy("shard");
                LocalCopy again = storage.localCopy("shard")) {
            assertThat(copy.path()).hasBinaryContent(content);
            assertThat(again.path()).isEqualTo(copy.path());
            assertThat(files.bytes).hasValue(2L * content.length + 3);
        }
        assertThat(files.open).hasValue(0);
    }

    @Test
    void localCopyOfAFileLargerThanTheCacheIsRefused() throws IOException {
        Path data = Files.createDirectories(folder.resolve("data"));
        Files.write(data.resolve("shard"), new byte[100]);
        Path cache = folder.resolve("cache");
        StorageOptions options =
                new StorageOptions(1, CHUNK, 0, Duration.ofSeconds(30), new CacheOptions(cache.toString(), 99));
        Storage storage = new FlinkStorage(data.toUri().toString(), FlakyFiles.sound(), options);

        assertThatThrownBy(() -> storage.localCopy("shard"))
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith("/shard has 100 bytes and has to be copied to this machine, but the cache "
                        + cache + " has no room for it beside the files in use: its limit is 99 bytes");
    }
}
