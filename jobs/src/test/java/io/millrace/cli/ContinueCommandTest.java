package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContinueCommandTest {
    @Test
    void commandRepeatsTheOptionsAndNamesTheRun() {
        assertThat(ContinueCommand.of(
                        Path.of("conf/digits.yaml"), List.of(), Optional.empty(), Path.of("runs/digits/1")))
                .isEqualTo("./millrace train conf/digits.yaml --resume runs/digits/1");
        assertThat(ContinueCommand.of(
                        Path.of("my pipeline.yaml"),
                        List.of("dataset.epochs=3", "train.model={mlp: {hidden: [8]}}", "flink.s3.secret-key=hidden"),
                        Optional.of("gpu-1:8081"),
                        Path.of("/runs/it's")))
                .isEqualTo(
                        "./millrace train 'my pipeline.yaml' --set dataset.epochs=3 --set 'train.model={mlp: {hidden:"
                                + " [8]}}' --set 'flink.s3.secret-key=******' --cluster gpu-1:8081 --resume '/runs/it'\\''s'");
    }
}
