package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.Storage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    private static DataFile data(Path file) throws IOException {
        return new DataFile(Storage.of(file.toString()), "");
    }

    private static void gzip(Path file, String text) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
    }
}
