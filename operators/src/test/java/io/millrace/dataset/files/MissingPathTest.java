package io.millrace.dataset.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MissingPathTest {
    @TempDir
    Path root;

    @BeforeEach
    void write() throws IOException {
        Files.createDirectories(root.resolve("data/tiere/bilder"));
        Files.createDirectories(root.resolve("data/tiere/.hidden"));
        Files.writeString(root.resolve("data/tiere/tiere.csv"), "a");
    }

    private Storage storage(String path) throws IOException {
        return Storage.of(path, StorageOptions.STANDARD);
    }

    @ParameterizedTest
    @CsvSource({
        "data/tier/bilder, data/tiere/bilder",
        "data/tiere/Bilder, data/tiere/bilder",
        "dta/tiere/bildr, data/tiere/bilder",
        "data/tiere/other, ",
        "data/tiere/tiere.cs, ",
        "data/tiere/hidden, ",
        "data/tiere/tiere.csv/bilder, ",
    })
    void aNearFolderIsNamed(String missing, String near) throws IOException {
        assertThat(MissingPath.folder(storage(root + "/" + missing)))
                .hasMessage("no such folder: " + root + "/" + missing
                        + (near == null ? "" : ", did you mean '" + root + "/" + near + "'?"));
    }

    @Test
    void aNearFileIsNamed() throws IOException {
        assertThat(MissingPath.file(storage(root + "/data/tiere/tier.csv")))
                .hasMessage("no such file: " + root + "/data/tiere/tier.csv, did you mean '" + root
                        + "/data/tiere/tiere.csv'?");
    }

    @Test
    void aLinkToNothingIsNamedAsALink() throws IOException {
        Files.createSymbolicLink(root.resolve("data/link"), Path.of("gone"));
        assertThat(MissingPath.folder(storage(root + "/data/link")))
                .hasMessage(root + "/data/link is a link to gone, where no folder is");
    }

    @Test
    void aRelativePathIsShownWithItsAbsoluteFormAndStaysRelativeInTheAdvice() throws IOException {
        assertThat(MissingPath.folder(storage("src/tst/java")))
                .hasMessage("no such folder: src/tst/java (that is, "
                        + Path.of("src/tst/java").toAbsolutePath() + "), did you mean 'src/test/java'?");
    }
}
