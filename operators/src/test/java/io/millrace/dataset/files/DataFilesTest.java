package io.millrace.dataset.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataFilesTest {
    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        for (String name : List.of(
                "s-0.tar",
                "s-1.tar",
                "s-2.tar",
                "s-10.tar",
                "T.TAR",
                "readme.txt",
                ".s-3.tar",
                "b/x.tar",
                "a/y.tar",
                "a/deep/z.tar",
                ".hidden/w.tar",
                "odd[1].tar")) {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, name);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s-0.tar | s-0.tar",
                "s-*.tar | s-0.tar s-1.tar s-10.tar s-2.tar",
                "s-?.tar | s-0.tar s-1.tar s-2.tar",
                "s-[0-1].tar | s-0.tar s-1.tar",
                "s-[!01].tar | s-2.tar",
                "s-{2,0}.tar | s-2.tar s-0.tar",
                "s-{0..2}.tar | s-0.tar s-1.tar s-2.tar",
                "*/*.tar | a/y.tar b/x.tar",
                "**/*.tar | a/deep/z.tar a/y.tar b/x.tar odd[1].tar s-0.tar s-1.tar s-10.tar s-2.tar",
                "a/** | a/deep/z.tar a/y.tar",
                "*/deep/z.tar | a/deep/z.tar",
                "{a/y,b/*}.tar | a/y.tar b/x.tar",
                "odd[1].tar | odd[1].tar",
                ".s-*.tar | .s-3.tar",
            })
    void pathIsExpandedToFilesInOrder(String path, String expected) throws IOException {
        List<DataFile> files = find(List.of(folder + "/" + path));

        assertThat(files)
                .extracting(DataFile::name)
                .containsExactly(Arrays.stream(expected.split(" "))
                        .map(name -> folder + "/" + name)
                        .toArray(String[]::new));
        for (DataFile file : files) {
            try (RangedFile open = file.open()) {
                String content = new String(open.read(0, (int) file.state().size()), StandardCharsets.UTF_8);
                assertThat(file.name()).endsWith("/" + content);
            }
        }
    }

    @Test
    void folderIsExpandedToItsFilesWithTheExtensionsSorted() throws IOException {
        assertThat(find(List.of(folder.toUri().toString()), List.of("tar")))
                .extracting(file -> file.name().substring(file.name().lastIndexOf('/') + 1))
                .containsExactly("T.TAR", "odd[1].tar", "s-0.tar", "s-1.tar", "s-10.tar", "s-2.tar");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s-0.tar | s-0.tar",
                "s-[0-1].tar | s-0.tar s-1.tar",
                "a | a/y.tar",
                "s-1 | s-1.tar",
                "read | ''",
                "no/such | ''",
            })
    void filesThatShowChangesAreThoseOfAnyFormat(String path, String expected) throws IOException {
        List<String> names = DataFiles.named(List.of(folder.resolve(path).toString()), StorageOptions.STANDARD).stream()
                .map(file -> folder.relativize(file.local().orElseThrow()).toString())
                .toList();
        assertThat(String.join(" ", names)).isEqualTo(expected);
    }

    @Test
    void listKeepsItsOrder() throws IOException {
        assertThat(find(List.of(folder + "/s-1.tar", folder + "/a", folder + "/s-0.tar"), List.of("tar")))
                .extracting(DataFile::name)
                .containsExactly(folder + "/s-1.tar", folder + "/a/y.tar", folder + "/s-0.tar");
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> find(List.of(folder + "/s-{0..3}.tar")))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no such file: " + folder + "/s-3.tar, did you mean '" + folder + "/s-0.tar'?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"*.lmdb", "none/*.tar", "s-0.tar/*"})
    void patternThatMatchesNothingIsNamed(String pattern) {
        assertThatThrownBy(() -> find(List.of(folder + "/" + pattern)))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no file matches " + folder + "/" + pattern);
    }

    @Test
    void folderWithoutMatchingFilesIsRefusedWithTheExtensionsAndAPattern() throws IOException {
        assertThatThrownBy(() -> find(List.of(folder.toString()), List.of("parquet", "pq")))
                .hasMessage("no files in the folder " + folder + "; expected files ending in .parquet, .pq."
                        + " For files in the folders below it, write " + folder + "/**/*.parquet");
        Path hub = folder.resolve("hub");
        Files.createDirectories(hub.resolve("data"));
        for (String name : List.of("train-0.parquet", "test-0.parquet")) {
            Files.writeString(hub.resolve("data").resolve(name), name);
        }
        assertThatThrownBy(() -> find(List.of(hub.toString()), List.of("parquet")))
                .hasMessageEndingWith("For files in the folders below it, write " + hub
                        + "/data/train-*.parquet for one of the" + " splits, " + hub + "/**/*.parquet for all");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> find(List.of(empty.toString()), List.of("tar")))
                .hasMessage("no files in the folder " + empty + "; expected files ending in .tar");
        Files.writeString(empty.resolve("b.json"), "{}");
        assertThatThrownBy(() -> find(List.of(empty.toString()), List.of("jsonl")))
                .hasMessage("no files in the folder " + empty
                        + "; expected files ending in .jsonl. Files with other endings,"
                        + " such as b.json, are read if path names them: " + empty + "/*.json");
        assertThatThrownBy(() -> find(List.of(empty.toString()))).hasMessage(empty + " is a folder; expected a file");
    }

    @Test
    void fileNamedTwiceIsRefused() {
        assertThatThrownBy(() -> find(List.of(folder + "/s-0.tar", folder + "/s-*.tar")))
                .hasMessageStartingWith(folder + "/s-0.tar is named twice");
    }

    @Test
    void linkToItsOwnParentIsRefused() throws IOException {
        Files.createSymbolicLink(folder.resolve("a/again"), folder);

        assertThatThrownBy(() -> find(List.of(folder + "/**/*.none")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("is there a link to one of its parent folders?");
    }

    @Test
    void foldersAreFoundByPatternAndBraces() throws IOException {
        assertThat(folders(List.of(folder + "/{b,a}")))
                .extracting(storage -> storage.display(""))
                .containsExactly(folder + "/b", folder + "/a");
        assertThat(folders(List.of(folder + "/*")))
                .extracting(storage -> storage.display(""))
                .containsExactly(folder + "/a", folder + "/b");
        assertThatThrownBy(() -> folders(List.of(folder + "/x*"))).hasMessage("no folder matches " + folder + "/x*");
    }

    @Test
    void bracesForTooManyPathsAreRefusedWhenTheOptionIsParsed() {
        assertThatThrownBy(() -> DataFiles.TYPE.parse("{0..99999999}.tar"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expected braces for up to");
    }

    private static List<DataFile> find(List<String> paths) throws IOException {
        return DataFiles.find(paths, StorageOptions.STANDARD);
    }

    private static List<DataFile> find(List<String> paths, List<String> extensions) throws IOException {
        return DataFiles.find(paths, extensions, StorageOptions.STANDARD);
    }

    private static List<Storage> folders(List<String> paths) throws IOException {
        return DataFiles.folders(paths, StorageOptions.STANDARD);
    }
}
