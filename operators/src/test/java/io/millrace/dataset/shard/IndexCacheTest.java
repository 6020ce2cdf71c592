package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.Storage;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCacheTest {
    @TempDir
    Path folder;

    private final AtomicInteger scans = new AtomicInteger();
    private DataFile shard;
    private Path index;

    private record Counted(int samples) implements ShardIndex {
        @Override
        public Optional<ShardLoss> loss() {
            return Optional.empty();
        }

        @Override
        public long contentBytes() {
            return 0;
        }
    }

    private record Counter(int version) implements ShardIndexer<Counted> {
        @Override
        public SharedIndexes<Counted> shared() {
            throw new AssertionError("not called");
        }

        @Override
        public String kind() {
            return "counted";
        }

        @Override
        public Counted scan(ScanWindow file) {
            throw new AssertionError("not called");
        }

        @Override
        public void write(Counted counted, DataOutputStream out) throws IOException {
            out.writeInt(counted.samples);
        }

        @Override
        public Counted read(DataInputStream in) throws IOException {
            return new Counted(in.readInt());
        }
    }

    @BeforeEach
    void write() throws IOException {
        Path file = Files.writeString(folder.resolve("a.tar"), "12345");
        shard = new DataFile(Storage.of(file.toString()), "");
        index = folder.resolve(".millrace/a.tar.counted-index");
    }

    @Test
    void secondReadUsesTheKeptIndex() throws IOException {
        assertThat(index("auto", 1)).isEqualTo(7);
        assertThat(index).isRegularFile();
        assertThat(index("auto", 1)).isEqualTo(7);
        assertThat(scans).hasValue(1);
    }

    @Test
    void shardOfAnotherSizeOrTimeIsScannedAgain() throws IOException {
        index("auto", 1);
        Files.writeString(folder.resolve("a.tar"), "123456");
        index("auto", 1);
        assertThat(scans).hasValue(2);
        Files.setLastModifiedTime(folder.resolve("a.tar"), FileTime.fromMillis(1_000));
        index("auto", 1);
        index("auto", 1);
        assertThat(scans).hasValue(3);
    }

    @Test
    void shardWithAnIndexOfAnotherVersionIsScannedAgain() throws IOException {
        index("auto", 1);
        index("auto", 2);
        index("auto", 2);
        assertThat(scans).hasValue(2);
    }

    @Test
    void everyDamageAndTruncationIsDetected() throws IOException {
        index("auto", 1);
        byte[] whole = Files.readAllBytes(index);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 8;
            Files.write(index, damaged);
            assertThat(index("auto", 1)).isEqualTo(7);
            Files.write(index, java.util.Arrays.copyOf(whole, at));
            assertThat(index("auto", 1)).isEqualTo(7);
        }
        assertThat(scans).hasValue(1 + 2 * whole.length);
        assertThat(Files.readAllBytes(index)).isEqualTo(whole);
    }

    @Test
    void usersCacheFolderIsUsedWhenTheFolderCannotBeWritten() throws IOException {
        // A file in place of the folder prevents even root from writing there.
        Files.writeString(folder.resolve(".millrace"), "");

        index("auto", 1);
        index("auto", 1);

        assertThat(scans).hasValue(1);
        try (var files = Files.list(folder.resolve("cache"))) {
            assertThat(files.map(path -> String.valueOf(path.getFileName())))
                    .singleElement()
                    .asString()
                    .matches("[0-9a-f]{16}-a\\.tar\\.counted-index");
        }
    }

    @Test
    void eachReadScansWhenNoFolderCanBeWritten() throws IOException {
        Files.writeString(folder.resolve(".millrace"), "");
        Files.writeString(folder.resolve("cache"), "");

        assertThat(List.of(index("auto", 1), index("auto", 1))).containsExactly(7, 7);
        assertThat(scans).hasValue(2);
    }

    @Test
    void chosenFolderIsUsedAndNoneWritesNoIndex() throws IOException {
        index("none", 1);
        assertThat(folder.resolve(".millrace")).doesNotExist();
        index(folder.resolve("mine").toString(), 1);
        index(folder.resolve("mine").toString(), 1);
        assertThat(scans).hasValue(2);
        assertThat(folder.resolve(".millrace")).doesNotExist();
        assertThat(folder.resolve("mine")).isNotEmptyDirectory();
    }

    @Test
    void indexOfAShardThatChangesDuringTheScanIsNotKept() throws IOException {
        new IndexCache("auto", folder.resolve("cache")).index(shard, shard.state(), new Counter(1), () -> {
            Files.writeString(folder.resolve("a.tar"), "longer than before");
            return new Counted(3);
        });

        assertThat(index).doesNotExist();
    }

    private int index(String choice, int version) throws IOException {
        return new IndexCache(choice, folder.resolve("cache"))
                .index(shard, shard.state(), new Counter(version), () -> {
                    scans.incrementAndGet();
                    return new Counted(7);
                })
                .samples();
    }
}
