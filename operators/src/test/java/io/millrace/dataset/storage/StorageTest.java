package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that both kinds of storage behave alike over the same folder. */
class StorageTest {
    @TempDir
    Path folder;

    private List<Storage> both = List.of();

    @BeforeEach
    void writeFiles() throws IOException {
        Files.createDirectories(folder.resolve("a b/c"));
        Files.write(folder.resolve("a b/1.jpg"), new byte[] {1, 2, 3});
        String uri = folder.toUri().toString();
        both = List.of(Storage.of(folder.toString()), Storage.of(uri), FlinkStorage.of(uri, StorageOptions.STANDARD));
    }

    @Test
    void kindsAndNamesAreReturned() throws IOException {
        for (Storage storage : both) {
            assertThat(storage.kind("")).isEqualTo(Kind.DIRECTORY);
            assertThat(storage.kind("a b/1.jpg")).isEqualTo(Kind.FILE);
            assertThat(storage.kind("a b/2.jpg")).isEqualTo(Kind.MISSING);
            assertThat(storage.list("a b"))
                    .containsExactlyInAnyOrder(new Entry("1.jpg", Kind.FILE), new Entry("c", Kind.DIRECTORY));
            assertThat(storage.display("a b/1.jpg")).endsWith(folder.getFileName() + "/a b/1.jpg");
        }
    }

    @Test
    void contentIsRead() throws IOException {
        for (Storage storage : both) {
            assertThat(storage.read("a b/1.jpg")).containsExactly(1, 2, 3);
            try (InputStream in = storage.open("a b/1.jpg")) {
                assertThat(in.readAllBytes()).containsExactly(1, 2, 3);
            }
        }
    }

    @Test
    void readOfAMissingFileThrowsNoSuchFile() {
        for (Storage storage : both) {
            assertThatThrownBy(() -> storage.read("a b/2.jpg")).isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void schemeChoosesTheFileSystem() throws IOException {
        assertThat(Storage.of("data/photos").local("x")).contains(Path.of("data/photos/x"));
        assertThat(Storage.of("file:/data/my%20photos").local("")).contains(Path.of("/data/my photos"));
        assertThatThrownBy(() -> Storage.of("file:/data/my photos"))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("file:/data/my photos is not a path on this machine: Illegal character");
        assertThatThrownBy(() -> Storage.of("nosuchscheme://bucket/photos"))
                .isInstanceOf(DatasetException.class)
                .hasMessage("nosuchscheme://bucket/photos: Flink has no file system here for nosuchscheme://");
        assertThatThrownBy(() -> Storage.of("gs://bucket/photos"))
                .isInstanceOf(DatasetException.class)
                .hasMessage("gs://bucket/photos: gs:// needs Flink's plugin flink-gs-fs-hadoop: put its jar into"
                        + " plugins/flink-gs-fs-hadoop/ as docs/data/storage.md describes");
    }
}
