package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.Trials;
import io.millrace.pipeline.Pipeline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A planted slow line in a Python function: the table, the report, the summary and the verdict name it. */
@Tag("measurements")
class PythonProfileITCase {
    private static final String AUGMENT = """
            import time

            def slow(image):
                image += 1
                time.sleep(0.05)
                return image
            """;

    @TempDir
    Path folder;

    private Path pipeline;
    private List<String> settings = List.of();

    @BeforeEach
    void writePipeline() throws Exception {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "needs Python 3.9 or newer with numpy");
        Path photos = SmallData.photos(folder.resolve("photos"), 40, 0, 1);
        pipeline = SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs"));
        Files.writeString(folder.resolve("augment.py"), AUGMENT);
        settings = List.of(
                "python.executable=" + python.orElseThrow(),
                "parallelism=2",
                "dataset.epochs=4",
                "transforms=[decode, python: {call: 'augment:slow'}, Resize: {size: [24, 24]}]");
    }

    @Test
    void slowLineIsTheFirstOfTheProfileAndInTheVerdict() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--profile", "--verbose"));
        settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));

        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("limited by python augment:slow (line 5");
        assertThat(run.out())
                .containsPattern("python augment:slow: \\d+ looks at the running function\n +\\d+\\.\\d % +"
                        + "augment.py:5 +slow +time.sleep\\(0.05\\)\n");
        Path files = CommandRun.folder(folder.resolve("runs"));
        assertThat(Files.readString(files.resolve("report.html")))
                .contains("Lines of your Python code")
                .contains("<td>augment.py:5</td><td>slow</td><td>time.sleep(0.05)</td>");
        JsonNode summary =
                new ObjectMapper().readTree(files.resolve("summary.json").toFile());
        JsonNode code = summary.required("verdict").required("code");
        assertThat(code.required("call").asText()).isEqualTo("augment:slow");
        assertThat(code.required("file").asText()).isEqualTo("augment.py");
        assertThat(code.required("line").asInt()).isEqualTo(5);
        assertThat(code.required("share").asDouble()).isBetween(0.5, 1.0);
        JsonNode stage = summary.required("stages").get(2);
        assertThat(stage.required("name").asText()).isEqualTo("python");
        assertThat(stage.required("code")
                        .required("lines")
                        .get(0)
                        .required("line")
                        .asInt())
                .isEqualTo(5);
        assertThat(summary.required("stages").get(1).has("code")).isFalse();
    }

    /** A trial reads all figures over REST, as a client of a cluster does. */
    @Test
    void slowLineIsReadOverRest() throws Exception {
        PipelineConfig config = ConfigReader.read(
                pipeline,
                Stream.concat(settings.stream(), Stream.of("dataset.epochs=1000"))
                        .toList());
        TrialLimits limits = new TrialLimits(Duration.ofSeconds(2), 0.2, Duration.ofSeconds(8));

        Trial trial;
        try (Trials trials = Trials.start(Pipeline.slots(config), folder)) {
            trial = trials.run(config, limits);
        }

        assertThat(trial.measurement().verdict().line()).startsWith("limited by python augment:slow (line 5");
        assertThat(trial.measurement().code()).containsOnlyKeys("python");
        assertThat(trial.measurement().code().values())
                .allSatisfy(code -> assertThat(code.samples()).isGreaterThan(20));
    }

    @Test
    void slowLineOfADatasetIsInTheVerdict() throws Exception {
        Files.writeString(folder.resolve("data.py"), """
                import time
                import numpy as np

                class Slow:
                    def __len__(self):
                        return 40

                    def __getitem__(self, i):
                        image = np.full((24, 24, 3), i, np.uint8)
                        time.sleep(0.05)
                        return image, i % 4
                """);
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        Stream.concat(
                        settings.stream(),
                        Stream.of(
                                "dataset={format: python, dataset: 'data:Slow', epochs: 4}",
                                "transforms=[]",
                                "train.model={mlp: {hidden: [8]}}"))
                .forEach(setting -> arguments.addAll(List.of("--set", setting)));

        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode verdict = run.json().required("verdict");
        assertThat(verdict.required("line").asText()).startsWith("limited by read data:Slow (line 10");
        assertThat(verdict.required("code").required("text").asText()).isEqualTo("time.sleep(0.05)");
    }
}
