package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.file.HeapLimit;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InflatedFilesTest {
    @TempDir
    Path folder;

    @Test
    void copyIsMadeOnceAndAgainWhenTheFileChanges() throws IOException {
        Path file = folder.resolve("a.jsonl.gz");
        gzip(file, "one");
        IndexCache cache = new IndexCache("auto", folder.resolve("user"));

        Path first = InflatedFiles.of(data(file), cache).local().orElseThrow();
        assertThat(first.getParent()).isEqualTo(folder.resolve(".millrace"));
        assertThat(first).hasContent("one");
        Files.writeString(first, "kept");
        assertThat(InflatedFiles.of(data(file), cache).local()).contains(first);
        assertThat(first).hasContent("kept");

        gzip(file, "another");
        assertThat(InflatedFiles.of(data(file), cache).local().orElseThrow()).hasContent("another");
    }

    @Test
    void copyOfAFileInAFolderThatCannotBeWrittenIsInTheUsersFolder() throws IOException {
        Path file = folder.resolve("a.jsonl.gz");
        gzip(file, "one");
        Files.createFile(folder.resolve(".millrace")); // a file in the place of the folder

        Path copy = InflatedFiles.of(data(file), new IndexCache("auto", folder.resolve("user")))
                .local()
                .orElseThrow();
        assertThat(copy.getParent()).isEqualTo(folder.resolve("user"));

        Files.createFile(folder.resolve("nobody"));
        assertThatThrownBy(() -> InflatedFiles.of(data(file), new IndexCache("auto", folder.resolve("nobody"))))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("there is no place for the inflated copy: cannot write ")
                .hasMessageEndingWith("set index_cache to a folder with enough space, or inflate the file");
    }

    @Test
    void damagedFileLeavesNothing() throws IOException {
        Path file = folder.resolve("a.jsonl.gz");
        gzip(file, "a text of some bytes");
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 25));

        assertThatThrownBy(() -> InflatedFiles.of(data(file), new IndexCache("auto", folder.resolve("user"))))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(file + " is no whole gzip file: after ");
        assertThat(folder.resolve(".millrace").toFile().list()).isEmpty();
    }

    @Test
    void plainFileIsItself() throws IOException {
        DataFile file = data(Files.writeString(folder.resolve("a.jsonl"), "x"));
        assertThat(InflatedFiles.of(file, new IndexCache("none", folder))).isSameAs(file);
        assertThat(List.of(InflatedFiles.isCompressed("a.JSONL.GZ"), InflatedFiles.isCompressed("a.zst")))
                .containsOnly(true);
    }

    /** Both files have two members or frames; the libraries accept many cuts within the second one. */
    @ParameterizedTest
    @ValueSource(strings = {"a.gz", "a.zst"})
    void everyCutButThatBetweenTwoPartsIsRefused(String name) throws IOException {
        byte[] whole = twoParts(name);
        int accepted = 0;
        for (int length = 0; length <= whole.length; length++) {
            Path file = Files.write(folder.resolve(name), Arrays.copyOf(whole, length));
            try {
                assertThat(inflated(file)).isIn("one text, ", "one text, and another");
                accepted++;
            } catch (DatasetException e) {
                assertThat(e).hasMessageContaining(file + " is no whole ");
            }
        }
        assertThat(accepted).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.gz", "a.zst"})
    void bytesAfterTheLastPartAreRefused(String name) throws IOException {
        byte[] whole = twoParts(name);
        for (int more : new int[] {1, 4, 30, 100_000}) {
            byte[] longer = Arrays.copyOf(whole, whole.length + more);
            longer[longer.length - 1] = 1;
            Path file = Files.write(folder.resolve(name), longer);
            assertThatThrownBy(() -> inflated(file))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageContaining("is no whole ");
        }
    }

    @Test
    void zerosAfterTheLastMemberArePadding() throws IOException {
        byte[] whole = twoParts("a.gz");
        for (int zeros : new int[] {1, 7, 18, 512, 200_000}) {
            Path file = Files.write(folder.resolve("a.gz"), Arrays.copyOf(whole, whole.length + zeros));
            assertThat(inflated(file)).as(zeros + " zeros").isEqualTo("one text, and another");
        }
    }

    @Test
    void copiesThatAreOutOfDateAreRemoved() throws IOException {
        Path cache = folder.resolve(".millrace");
        Path file = folder.resolve("a.jsonl.gz");
        gzip(file, "one");
        IndexCache beside = new IndexCache("auto", folder.resolve("user"));
        Path first = InflatedFiles.of(data(file), beside).local().orElseThrow();
        Path ofDeleted = Files.writeString(cache.resolve("gone.jsonl.gz.1-2.inflated"), "x");
        gzip(folder.resolve("b.jsonl.gz"), "other");
        Path ofOther = InflatedFiles.of(data(folder.resolve("b.jsonl.gz")), beside)
                .local()
                .orElseThrow();
        assertThat(ofDeleted).doesNotExist();
        assertThat(first).exists();
        Path left = Files.writeString(cache.resolve(".a.jsonl.gz.1-2.inflated.uuid.part"), "x");
        Path inUse = Files.writeString(cache.resolve(".a.jsonl.gz.1-3.inflated.uuid.part"), "x");
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        Path index = Files.writeString(cache.resolve("a.tar.tar-index"), "x");

        gzip(file, "changed");
        Path second = InflatedFiles.of(data(file), beside).local().orElseThrow();
        try (Stream<Path> kept = Files.list(cache)) {
            assertThat(kept).containsExactlyInAnyOrder(second, ofOther, inUse, index);
        }
    }

    @Test
    void indexOfACopyIsBesideIt() throws IOException {
        Path file = folder.resolve("a.jsonl.gz");
        gzip(file, "one");
        Path user = folder.resolve("user");
        IndexCache cache = new IndexCache("auto", user);
        DataFile copy = InflatedFiles.of(data(file), cache);
        assertThat(cache.places(copy, ".x-index").get(0)).isEqualTo(folder.resolve(".millrace/a.jsonl.gz.x-index"));

        Files.createDirectory(user);
        Path copyOfUser = Files.copy(copy.local().orElseThrow(), user.resolve("0-a.jsonl.gz.1-2.inflated"));
        assertThat(cache.places(new DataFile(Storage.copy("a.jsonl.gz", copyOfUser), ""), ".x-index"))
                .singleElement()
                .satisfies(place -> assertThat(place.getParent()).isEqualTo(user));
    }

    @Test
    void copyIsNamedAsItsFile() throws IOException {
        Path file = folder.resolve("a.jsonl.gz");
        gzip(file, "one");
        assertThat(InflatedFiles.of(data(file), new IndexCache("auto", folder)).name())
                .isEqualTo(file.toString());
    }

    @Test
    void contentThatDoesNotFitIntoTheHeapIsRefused() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new ZstdOutputStream(bytes)) {
            byte[] zeros = new byte[1 << 24];
            for (long done = 0; done <= HeapLimit.bytes(); done += zeros.length) {
                out.write(zeros);
            }
        }
        assertThatThrownBy(() -> InflatedFiles.inflated("a.zst", bytes.toByteArray()))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("a.zst: expected a document of at most ");
    }

    @Test
    void membersOfASourceThatHasNothingAvailableAreAllRead() throws IOException {
        InputStream remote = new ByteArrayInputStream(twoParts("a.gz")) {
            @Override
            public synchronized int available() {
                return 0;
            }
        };
        try (InputStream in = GzipMembers.of(new BufferedInputStream(remote, 16))) {
            assertThat(in.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("one text, and another");
        }
    }

    private String inflated(Path file) throws IOException {
        Path copy = InflatedFiles.of(
                        data(file), new IndexCache(folder.resolve("cache").toString(), folder))
                .local()
                .orElseThrow();
        String text = Files.readString(copy);
        Files.delete(copy); // a later cut may have the same size and time
        return text;
    }

    private static byte[] twoParts(String name) throws IOException {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        for (String text : List.of("one text, ", "and another")) {
            try (OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(both) : new ZstdOutputStream(both)) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
        return both.toByteArray();
    }

    private static DataFile data(Path file) throws IOException {
        return new DataFile(Storage.of(file.toString()), "");
    }

    private static void gzip(Path file, String text) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
