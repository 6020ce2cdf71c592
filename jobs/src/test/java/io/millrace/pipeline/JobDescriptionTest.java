package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.JobDescription.Consumer;
import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobDescriptionTest {
    private static final String SECRET = "wJalrXUtnFEMI";

    @TempDir
    Path folder;

    private PipelineConfig config() throws Exception {
        Path file = Files.writeString(folder.resolve("p.yaml"), """
                dataset: { format: folder, path: photos, epochs: 2 }
                transforms: [ decode, RandomHorizontalFlip ]
                stages: { decode: 3 }
                parallelism: 2
                train: { model: mlp }
                flink: { s3.endpoint: "http://localhost:9000", s3.secret-key: %s, fs: { s3a: { secret.key: %s } } }
                """.formatted(SECRET, SECRET));
        return ConfigReader.read(file, List.of());
    }

    @Test
    void descriptionReadsBackEqual() throws Exception {
        JobDescription description = JobDescription.of(
                config(),
                "/runs/a",
                Optional.of("/reports/summary.json"),
                SampleUnit.ROWS,
                Optional.empty(),
                Consumer.CLIENTS);
        assertThat(description.need()).isEqualTo(SlotRequirement.anywhere(3));
        assertThat(description.stages()).containsEntry("decode", 3).containsEntry("pack", 2);
        assertThat(JobDescription.read(description.parameters())).contains(description);
    }

    @Test
    void jobWithPlacementNamesItsDevices() throws Exception {
        Path file = folder.resolve("p.yaml");
        config();
        PipelineConfig config = ConfigReader.read(file, List.of("placement={data: cpu}"));
        JobDescription description = JobDescription.of(
                config, "/runs/a", Optional.empty(), SampleUnit.IMAGES, Optional.empty(), Consumer.TRAINERS);
        assertThat(description.need()).isEqualTo(new SlotRequirement(4, Map.of("gpu", 1, "cpu", 3)));
        assertThat(JobDescription.read(description.parameters())).contains(description);
    }

    @Test
    void fillOfPacksReachesWhoeverReadsTheDescription() throws Exception {
        for (PackFill.@Nullable Fuller fuller : Arrays.asList(null, new PackFill.Fuller("best_fit", false, 0.625))) {
            JobDescription description = JobDescription.of(
                    config(),
                    "/runs/a",
                    Optional.empty(),
                    SampleUnit.sequences(60),
                    Optional.of(new PackFill(60, 100, 3, 0.125, fuller)),
                    Consumer.TRAINERS);
            assertThat(JobDescription.read(description.parameters())).contains(description);
        }
    }

    @Test
    void fillThatAnotherVersionDescribesIsUnknown() throws Exception {
        JobDescription description = JobDescription.of(
                config(), "/runs/a", Optional.empty(), SampleUnit.ROWS, Optional.empty(), Consumer.TRAINERS);
        Map<String, String> parameters = new HashMap<>(description.parameters());
        parameters.put("millrace.packs", "{\"tokens\":1.0,\"holes\":2}");

        assertThat(JobDescription.read(parameters)).contains(description);
    }

    @Test
    void jobOfAnotherProgramHasNoDescription() {
        assertThat(JobDescription.read(Map.of("input", "/words.txt"))).isEmpty();
    }

    @Test
    void secretsAreMaskedInTheDescription() throws Exception {
        JobDescription description = JobDescription.of(
                config(), "/runs/a", Optional.empty(), SampleUnit.IMAGES, Optional.empty(), Consumer.TRAINERS);
        assertThat(description.parameters().toString())
                .doesNotContain(SECRET)
                .contains("http://localhost:9000", "******");
    }

    @Test
    void pipelineOfTheDescriptionEqualsTheConfigurationExceptForSecrets() throws Exception {
        PipelineConfig config = config().absolute();
        Path file = Files.writeString(
                folder.resolve("described.yaml"),
                JobDescription.of(
                                config,
                                "/runs/a",
                                Optional.empty(),
                                SampleUnit.IMAGES,
                                Optional.empty(),
                                Consumer.TRAINERS)
                        .pipeline());
        assertThat(ConfigReader.read(file, List.of()).toMap()).isEqualTo(config.toMap());
    }

    @Test
    void pathsOfTheFileAreAbsoluteForOtherMachines() throws Exception {
        PipelineConfig config = config().absolute();
        assertThat(config.data().dataset().spec().path())
                .isEqualTo(Path.of("photos").toAbsolutePath().toString());
        assertThat(config.run().folder()).isAbsolute();
    }

    @Test
    void everyPathOfAListIsAbsolute() throws Exception {
        Path file = Files.writeString(folder.resolve("list.yaml"), """
                dataset: { format: tar, path: [a.tar, "s3://bucket/b.tar"], index_cache: none }
                transforms: [ RandomApply: { transforms: [ RandomHorizontalFlip, { RandomCrop: { size: 8 } } ] } ]
                train: { model: { torchscript: { path: model.pt, classes: 10 } } }
                """);
        PipelineConfig written = ConfigReader.read(file, List.of());
        PipelineConfig config = written.absolute();
        assertThat(config.data().dataset().spec().options().raw())
                .containsEntry("path", List.of(Path.of("a.tar").toAbsolutePath().toString(), "s3://bucket/b.tar"))
                .containsEntry("index_cache", "none");
        assertThat(config.train().recipe().model().options().raw())
                .containsEntry("path", Path.of("model.pt").toAbsolutePath().toString());
        assertThat(config.data().transforms()).isEqualTo(written.data().transforms());
    }
}
