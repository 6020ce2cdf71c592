package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.spec.Trainers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a failing rank restarts all ranks from a checkpoint, in which all replicas are at the same step. */
class ReplicaFailureITCase {
    private static final int EPOCHS = 25;

    private static @Nullable TrainReports undisturbedReplicas;

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
                ledger: true
                checkpoint: {interval: 200ms}
                restart: {attempts: 5, delay: 100ms}
                """.formatted(EPOCHS));
    }

    @ParameterizedTest
    @CsvSource({"aligned, 1", "aligned, 2", "unaligned, 2"})
    void parametersAfterFailuresEqualThoseWithoutFailures(String mode, int taskManagers) throws Exception {
        String[] how = {"replicas=sync", "checkpoint.mode=" + mode};
        TrainReports undisturbed = undisturbedReplicas();
        FailingStep.failAt(Set.of(130L, 310L, 460L));
        TrainReports disturbed = RankRun.of(file, folder.resolve("disturbed"), taskManagers, FailingStep::open, how);

        assertThat(disturbed.whole().task().restarts()).isEqualTo(3);
        assertThat(disturbed.whole().task().checkpoints().count()).isPositive();
        assertThat(disturbed.whole().result().parametersSha256())
                .isNotNull()
                .isEqualTo(undisturbed.whole().result().parametersSha256());
        assertThat(disturbed.whole().result().accuracy())
                .isEqualTo(undisturbed.whole().result().accuracy());
        for (String rank : List.of("", "rank-1")) {
            assertThat(steps(folder.resolve("disturbed").resolve(rank)))
                    .isEqualTo(IntStream.range(0, EPOCHS * 21).boxed().toList());
        }
    }

    /**
     * Returns the reports of undisturbed replicas. They are trained once, because neither the mode nor the number of
     * TaskManagers changes the result.
     */
    private TrainReports undisturbedReplicas() throws Exception {
        TrainReports known = undisturbedReplicas;
        if (known == null) {
            FailingStep.failAt(Set.of());
            known = RankRun.of(file, folder.resolve("undisturbed"), 2, FailingStep::open, "replicas=sync");
            undisturbedReplicas = known;
        }
        return known;
    }

    /** Independent models are at different steps when one of them fails. */
    @Test
    void trainersThatShareAllTrainOnEveryBatchOnceDespiteFailures() throws Exception {
        String[] how = {"share=all", "batch.size=32", "checkpoint.mode=unaligned"};
        FailingStep.failAt(Set.of());
        TrainReports undisturbed = RankRun.of(file, folder.resolve("undisturbed"), 2, FailingStep::open, how);
        FailingStep.failAt(Set.of(120L, 290L, 430L));
        TrainReports disturbed = RankRun.of(file, folder.resolve("disturbed"), 2, FailingStep::open, how);

        assertThat(disturbed.whole().task().restarts()).isEqualTo(3);
        for (int rank = 0; rank < 2; rank++) {
            assertThat(disturbed.ranks().get(rank).report().result().parametersSha256())
                    .isNotNull()
                    .isEqualTo(undisturbed.ranks().get(rank).report().result().parametersSha256());
            Path run = Trainers.folder(folder.resolve("disturbed"), rank);
            assertThat(steps(run))
                    .isEqualTo(IntStream.range(0, EPOCHS * 21).boxed().toList());
            assertThat(run.resolve("ledger.csv")).hasSameTextualContentAs(folder.resolve("undisturbed/ledger.csv"));
        }
        assertThat(samplesOfEachEpoch(folder.resolve("undisturbed")))
                .hasSize(EPOCHS)
                .allSatisfy(samples -> assertThat(samples.stream().sorted().toList())
                        .isEqualTo(IntStream.range(0, 660).boxed().toList()));
    }

    private static Collection<List<Integer>> samplesOfEachEpoch(Path run) throws IOException {
        Map<String, List<Integer>> epochs = new TreeMap<>();
        for (String line : Files.readAllLines(run.resolve("ledger.csv"))) {
            List<String> fields = List.of(line.split(",", -1));
            if (!fields.get(0).equals("step")) {
                List<Integer> samples = epochs.computeIfAbsent(fields.get(1), epoch -> new ArrayList<>());
                Arrays.stream(fields.get(2).split(" ", -1))
                        .map(Integer::valueOf)
                        .forEach(samples::add);
            }
        }
        return epochs.values();
    }

    private static List<Integer> steps(Path run) throws IOException {
        return Files.readAllLines(run.resolve("steps.csv")).stream()
                .skip(1)
                .map(line -> Integer.valueOf(line.substring(0, line.indexOf(','))))
                .toList();
    }
}
