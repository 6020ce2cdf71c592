package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pipeline as {@code scale} and {@code stop} read it from the description of a job, which has no secrets. */
class MaskedSecretsTest {
    private static final String PATHS = "dataset.path=[s3://plain/a, s3://me:hidden@bucket/b]";

    @TempDir
    Path folder;

    private PipelineConfig described(List<String> settings, String... scaled) throws Exception {
        Path file = Files.writeString(folder.resolve("x.yaml"), """
                dataset: {format: tar, path: data}
                evaluate: {dataset: {format: folder, path: "https://host/test?sig=hidden"}}
                batch: {size: 4}
                train: {model: none, loss: cross_entropy, optimizer: sgd}
                """);
        Path described = Files.writeString(
                folder.resolve("described.yaml"),
                new ObjectMapper()
                        .writeValueAsString(ConfigReader.read(file, settings).toMap()));
        assertThat(described).content().doesNotContain("hidden");
        return ConfigReader.read(described, List.of(scaled));
    }

    @Test
    void jobIsNotSubmittedAgainWithMaskedPaths() throws Exception {
        PipelineConfig masked = described(List.of(PATHS, "flink.s3.secret-key=hidden"));
        assertThatThrownBy(() -> JobRescaler.requireSecrets(masked))
                .isInstanceOf(UsageException.class)
                .hasMessage(
                        "the job does not store the secrets of its pipeline: set [dataset.path.1, evaluate.dataset.path,"
                                + " flink.s3.secret-key] again, for example --set dataset.path.1=...");

        PipelineConfig complete = described(
                List.of(PATHS, "flink.s3.secret-key=hidden"),
                "dataset.path.1=s3://me:word@bucket/b",
                "evaluate.dataset.path=https://host/test?sig=word",
                "flink.s3.secret-key=word");
        assertThatCode(() -> JobRescaler.requireSecrets(complete)).doesNotThrowAnyException();
        assertThat(complete.data().dataset().spec().options().raw().get("path"))
                .isEqualTo(List.of("s3://plain/a", "s3://me:word@bucket/b"));
    }

    @Test
    void jobIsNotSavedAtAMaskedPlace() throws Exception {
        PipelineConfig masked = described(List.of("checkpoint={path: 's3://me:hidden@bucket/run'}"));
        assertThatThrownBy(() -> RunningJob.requireKnown(masked))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "the job cannot be saved, because it does not store the password in its checkpoint.path");
        assertThatCode(() -> RunningJob.requireKnown(described(List.of("checkpoint={path: 's3://bucket/run'}"))))
                .doesNotThrowAnyException();
    }
}
