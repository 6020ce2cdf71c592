package io.millrace.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetException;
import io.millrace.sample.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of files and classes that would add lines to the output. */
class HostileNamesTest {
    private static final String FORGED = "millrace: finished";

    @TempDir
    Path root;

    private PipelineConfig config;

    @BeforeEach
    void write() throws Exception {
        Path data = root.resolve("data");
        Path cat = Files.createDirectories(data.resolve("cat\n" + FORGED));
        Files.writeString(cat.resolve("1\n" + FORGED + "\t.jpg"), "secret text");
        Files.writeString(data.resolve("a\n" + FORGED), "left out");
        Path file = Files.writeString(root.resolve("x.yaml"), """
                dataset: {format: folder, path: '%s'}
                transforms: [decode]
                batch: {size: 1}
                train: {model: none, loss: cross_entropy, optimizer: sgd}
                """.formatted(data));
        config = ConfigReader.read(file, List.of());
    }

    @Test
    void textOfInspectHasNoForgedLine() throws Exception {
        String text = SummaryText.render("x", DatasetInspector.inspect(config, Split.TRAIN, 1), false);

        assertThat(text.lines()).noneMatch(line -> line.strip().startsWith(FORGED));
        assertThat(text)
                .contains("cat\\n" + FORGED, "1\\n" + FORGED + "\\t.jpg", "found 11 bytes of text")
                .doesNotContain("secret");
    }

    @Test
    void refusalHasOneLine() throws Exception {
        Path link = root.resolve("data/cat\n" + FORGED + "/2.jpg");
        Files.createSymbolicLink(link, Files.writeString(root.resolve("out\n" + FORGED), "x"));

        assertThatThrownBy(() -> DatasetInspector.inspect(config, Split.TRAIN, 1))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("set dataset.follow_links: true")
                .hasMessageMatching("[^\n]*");
    }
}
