package io.millrace.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFilesTest {
    @TempDir
    Path folder;

    @Test
    void replacedFileLeavesNoOtherFile() throws IOException {
        Path file = folder.resolve("x.json");
        WholeFiles.write(file, "a longer content".getBytes(UTF_8));
        WholeFiles.write(file, "short".getBytes(UTF_8));
        assertThat(file).hasContent("short");
        WholeFiles.writeDurably(file, "last".getBytes(UTF_8));
        assertThat(file).hasContent("last");
        assertThat(files()).containsExactly(file);
    }

    @Test
    void failedWriteLeavesNoPartialFile() throws IOException {
        // A file cannot be moved over a folder that is not empty.
        Path inTheWay = Files.createDirectories(folder.resolve("x.json/content"));
        assertThatIOException().isThrownBy(() -> WholeFiles.write(folder.resolve("x.json"), "new".getBytes(UTF_8)));
        assertThat(inTheWay).isDirectory();
        assertThat(files()).containsExactly(folder.resolve("x.json"));
    }

    @Test
    void unfinishedFileIsHiddenUntilItIsPublished() throws IOException {
        Path file = folder.resolve("x.csv");
        Files.writeString(WholeFiles.partial(file), "lines");
        assertThat(file).doesNotExist();
        assertThat(WholeFiles.whole(WholeFiles.partial(file))).isEqualTo(file);
        assertThat(WholeFiles.whole(file)).isEqualTo(file);
        WholeFiles.publish(file);
        assertThat(file).hasContent("lines");
        assertThat(files()).containsExactly(file);
    }

    private Stream<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList().stream();
        }
    }
}
