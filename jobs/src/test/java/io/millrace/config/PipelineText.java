package io.millrace.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A pipeline file written for one test. */
record PipelineText(Path file) {
    /** The smallest pipeline; its last line is 2. */
    static final String SMALLEST = """
            dataset: {format: folder, path: photos}
            train: {model: none}
            """;

    static PipelineText of(Path folder, String text) {
        Path file = folder.resolve("some.yaml");
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new PipelineText(file);
    }

    PipelineConfig read(String... overrides) throws ConfigException {
        return ConfigReader.read(file, List.of(overrides), ExampleCatalogs.CATALOGS);
    }

    /** Returns the problems as a user reads them, with the file's name instead of its path. */
    List<String> problems(String... overrides) {
        try {
            PipelineConfig config = read(overrides);
            throw new AssertionError("expected problems, found " + config);
        } catch (ConfigException e) {
            return e.problems().stream()
                    .map(problem -> problem.toString().replace(file.toString(), "some.yaml"))
                    .toList();
        }
    }
}
