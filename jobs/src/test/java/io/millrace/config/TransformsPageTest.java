package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks docs/data/transforms.md against the installed transforms. */
class TransformsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "data", "transforms.md");
    private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

    @Test
    void everyTransformHasARowOnThePage() throws IOException {
        List<String> rows = Files.readString(PAGE)
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(0, line.indexOf('|', 1)))
                .toList();
        Catalogs installed = Catalogs.installed();
        List<String> names = Stream.concat(installed.transforms().stream(), installed.deviceTransforms().stream())
                .map(CatalogEntry::name)
                .toList();
        assertThat(names).hasSizeGreaterThan(25);
        for (String name : names) {
            assertThat(rows).as(name).anyMatch(row -> row.contains("`" + name + "`"));
        }
    }

    @Test
    void everyExampleOnThePageIsReadWithoutProblems(@TempDir Path folder) throws Exception {
        List<String> examples = EXAMPLE.matcher(Files.readString(PAGE))
                .results()
                .map(MatchResult::group)
                .map(block -> block.replace("```yaml\n", "").replace("```", ""))
                .toList();
        assertThat(examples).hasSizeGreaterThan(1);
        for (String example : examples) {
            PipelineConfig config =
                    ConfigReader.read(PipelineText.of(folder, example).file(), List.of());
            assertThat(config.data().transforms()).as(example).isNotEmpty();
        }
    }
}
