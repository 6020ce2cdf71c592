package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the shipped pipeline files against the installed catalogs. */
class ConfFilesTest {
    private static final Path FOLDER = Path.of("..", "conf");

    static List<Path> files() throws IOException {
        try (Stream<Path> examples = Files.list(FOLDER);
                Stream<Path> experiments = Files.list(FOLDER.resolve("experiments"))) {
            return Stream.concat(examples, experiments)
                    .filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void pipelineFileIsReadWithoutProblems(Path file) throws Exception {
        PipelineConfig config = ConfigReader.read(file, List.of());

        assertThat(file).hasFileName(config.name() + ".yaml");
    }

    @Test
    void experimentsPageListsExactlyTheFilesOfExperiments() throws IOException {
        Set<String> named = Pattern.compile("conf/experiments/[\\w-]+\\.yaml")
                .matcher(Files.readString(Path.of("..", "docs", "diagnose", "experiments.md")))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());

        assertThat(named)
                .isEqualTo(files().stream()
                        .map(file -> Path.of("..").relativize(file).toString())
                        .filter(file -> file.contains("experiments"))
                        .collect(Collectors.toSet()));
    }

    @Test
    void threeExamplesExist() throws IOException {
        assertThat(files())
                .contains(
                        FOLDER.resolve("digits.yaml"), FOLDER.resolve("photos.yaml"), FOLDER.resolve("synthetic.yaml"));
    }
}
