package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.TrainReports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rank that fails restarts all of them from a checkpoint, which has every replica behind the same step. */
class ReplicaFailureITCase {
    private static final int EPOCHS = 25;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void pipeline() throws IOException {
        file = Files.writeString(folder.resolve("replicas.yaml"), """
                name: replicas
                dataset: {format: synthetic, size: 660, shape: [8, 8, 3], classes: 10, epochs: %d}
                evaluate: {dataset: {format: synthetic, size: 50, shape: [8, 8, 3], classes: 10}}
                parallelism: 2
                transforms: [RandomHorizontalFlip]
                batch: {size: 16}
                device: {transforms: [ToFloat]}
                train: {model: {convnet: {channels: [4, 8]}}, threads: 1}
                ranks: 2
                replicas: sync
                checkpoint: {interval: 200ms}
                restart: {attempts: 5, delay: 100ms}
                """.formatted(EPOCHS));
    }

    @ParameterizedTest
    @CsvSource({"aligned, 1", "aligned, 2", "unaligned, 2"})
    void failuresLeaveNoTraceInTheParameters(String mode, int taskManagers) throws Exception {
        String how = "checkpoint.mode=" + mode;
        FailingStep.failAt(Set.of());
        TrainReports quiet = RankRun.of(file, folder.resolve("quiet"), taskManagers, FailingStep::open, how);
        FailingStep.failAt(Set.of(130L, 310L, 460L));
        TrainReports disturbed = RankRun.of(file, folder.resolve("disturbed"), taskManagers, FailingStep::open, how);

        assertThat(disturbed.whole().restarts()).isEqualTo(3);
        assertThat(disturbed.whole().checkpoints().count()).isGreaterThan(3);
        assertThat(disturbed.whole().parametersSha256())
                .isNotNull()
                .isEqualTo(quiet.whole().parametersSha256());
        assertThat(disturbed.whole().accuracy()).isEqualTo(quiet.whole().accuracy());
        for (String rank : List.of("", "rank-1")) {
            assertThat(steps(folder.resolve("disturbed").resolve(rank)))
                    .isEqualTo(IntStream.range(0, EPOCHS * 21).boxed().toList());
        }
    }

    private static List<Integer> steps(Path run) throws IOException {
        return Files.readAllLines(run.resolve("steps.csv")).stream()
                .skip(1)
                .map(line -> Integer.valueOf(line.substring(0, line.indexOf(','))))
                .toList();
    }
}
