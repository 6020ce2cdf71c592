package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTextTest {
    @TempDir
    Path folder;

    @Test
    void missingFileIsReported() {
        expect(folder.resolve("none.yaml"), "there is no such file");
    }

    @Test
    void folderIsReported() {
        expect(folder, "expected a pipeline file, found a folder");
    }

    @Test
    void emptyFileIsReported() throws IOException {
        expect(write(new byte[0]), "expected the keys of a pipeline, found nothing: the file is empty");
        expect(write("# a comment\n"), "expected the keys of a pipeline, found nothing: the file is empty");
    }

    @Test
    void bytesThatAreNoTextAreReported() throws IOException {
        expect(
                write(new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 1, 2}),
                "expected a text file in UTF-8, found other bytes");
        expect(write(new byte[] {'a', 0, 'b'}), "not YAML: the character U+0000 at position 1 is not allowed in text");
    }

    @Test
    void hugeFileIsReported() throws IOException {
        expect(write("#".repeat((1 << 20) + 1)), "expected a pipeline file of at most 1048576 bytes, found more");
    }

    @Test
    void textWithoutKeysIsReported() throws IOException {
        Path file = write("just words\n");

        assertThatThrownBy(() -> ConfigReader.read(file, List.of(), ExampleCatalogs.CATALOGS))
                .hasMessage(file + ":1: expected the keys of a pipeline, found 'just words'");
    }

    @Test
    void byteOrderMarkIsSkipped() throws Exception {
        Path file = write("\uFEFF" + PipelineText.SMALLEST);

        assertThat(ConfigReader.read(file, List.of(), ExampleCatalogs.CATALOGS).name())
                .isEqualTo("file");
    }

    @Test
    void badOverrideIsReportedTogetherWithABadFile() throws IOException {
        Path file = write(new byte[0]);

        assertThatThrownBy(() -> ConfigReader.read(file, List.of("nonsense"), ExampleCatalogs.CATALOGS))
                .hasMessage(file + ": expected the keys of a pipeline, found nothing: the file is empty\n"
                        + "--set nonsense: expected key=value, as in batch.size=32");
    }

    private static void expect(Path file, String message) {
        assertThatThrownBy(() -> ConfigReader.read(file, List.of(), ExampleCatalogs.CATALOGS))
                .isInstanceOf(ConfigException.class)
                .hasMessage(file + ": " + message);
    }

    private Path write(String text) throws IOException {
        return write(text.getBytes(StandardCharsets.UTF_8));
    }

    private Path write(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("file.yaml"), bytes);
    }
}
