package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.figures.TrainReports.Ranked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests several trainers in one job: the rows of each rank, and the equality of replicas. */
class RanksITCase {
    /** The run has 10 global batches of 64 rows and one of 20: rank 1 has no row in the last one. */
    private static final int SIZE = 10 * 64 + 20;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void pipeline() throws IOException {
        file = Files.writeString(folder.resolve("ranks.yaml"), """
                name: ranks
                dataset: {format: synthetic, size: %d, shape: [8, 8, 3], classes: 10, epochs: 3}
                evaluate: {dataset: {format: synthetic, size: 50, shape: [8, 8, 3], classes: 10}}
                parallelism: 2
                transforms: [RandomHorizontalFlip]
                batch: {size: 32}
                device: {transforms: [ToFloat]}
                train: {model: {mlp: {hidden: [16]}}, optimizer: {sgd: {learning_rate: 0.05}}, threads: 1}
                ledger: true
                """.formatted(SIZE));
    }

    @Test
    void splitSendsEachSampleToOneRankAndAllRanksMakeTheSameSteps() throws Exception {
        TrainReports reports = RankRun.of(file, folder, 1, "ranks=2");

        assertThat(reports.ranks()).extracting(Ranked::rank).containsExactly(0, 1);
        assertThat(reports.ranks())
                .allSatisfy(rank -> assertThat(rank.report().counters().steps()).isEqualTo(33));
        assertThat(reports.ranks())
                .extracting(rank -> rank.report().counters().samples())
                .containsExactly(3 * 340L, 3 * 320L);
        assertThat(hashes(reports)).as("models of their own").hasSize(2);
        List<Long> trained = LongStream.concat(indexes(folder), indexes(folder.resolve("rank-1")))
                .sorted()
                .boxed()
                .toList();
        assertThat(trained)
                .isEqualTo(
                        LongStream.range(0, 3L * SIZE).map(i -> i / 3).boxed().toList());
        assertThat(Files.readAllLines(folder.resolve("rank-1/steps.csv"))).hasSize(1 + 33);
        assertThat(folder.resolve("model")).exists();
        assertThat(folder.resolve("rank-1/model")).exists();
    }

    @Test
    void shareAllSendsEveryBatchToEveryRank() throws Exception {
        TrainReports reports = RankRun.of(file, folder, 2, "ranks=2", "share=all");
        TrainReports alone = RankRun.of(file, folder.resolve("alone"), 1);

        assertThat(reports.ranks()).allSatisfy(rank -> {
            assertThat(rank.report().counters().samples()).isEqualTo(3L * SIZE);
            assertThat(rank.report().counters().steps()).isEqualTo(3 * 21);
        });
        assertThat(hashes(reports)).as("from other initial parameters").hasSize(2);
        assertThat(reports.ranks().get(0).report().result().parametersSha256())
                .as("rank 0 trains as it would alone")
                .isEqualTo(alone.whole().result().parametersSha256());
    }

    @Test
    void ranksWithOwnSettingsLearnTheSameAsAlone() throws Exception {
        String fast = "{optimizer: {sgd: {learning_rate: 0.1}}, accumulate: 3, clip_norm: 0.1, seed: 7}";
        String wide = "{model: {mlp: {hidden: [40]}}, seed: 8}";
        TrainReports search =
                RankRun.of(file, folder, 1, "ranks=2", "share=all", "train.ranks=[" + fast + ", " + wide + "]");
        TrainReports fastAlone = RankRun.of(
                file,
                folder.resolve("fast"),
                1,
                "train.optimizer={sgd: {learning_rate: 0.1}}",
                "train.accumulate=3",
                "train.clip_norm=0.1",
                "train.seed=7");
        TrainReports wideAlone =
                RankRun.of(file, folder.resolve("wide"), 1, "train.model={mlp: {hidden: [40]}}", "train.seed=8");

        assertThat(search.ranks().stream()
                        .map(rank -> rank.report().result().parametersSha256())
                        .toList())
                .containsExactly(
                        fastAlone.whole().result().parametersSha256(),
                        wideAlone.whole().result().parametersSha256());
    }

    @Test
    void replicasStayEqualOnOneAndSeveralTaskManagers() throws Exception {
        TrainReports together = RankRun.of(file, folder.resolve("1"), 1, "ranks=2", "replicas=sync");
        TrainReports apart = RankRun.of(file, folder.resolve("2"), 2, "ranks=2", "replicas=sync");

        assertThat(hashes(together)).hasSize(1);
        assertThat(hashes(apart)).isEqualTo(hashes(together));
        assertThat(together.ranks())
                .extracting(
                        rank -> Objects.requireNonNull(rank.report().result().accuracy()))
                .as("of the whole evaluation set")
                .allSatisfy(accuracy ->
                        assertThat(accuracy * 50 - Math.rint(accuracy * 50)).isZero())
                .containsOnly(Objects.requireNonNull(
                        apart.ranks().get(0).report().result().accuracy()));
    }

    @Test
    void statisticsOfBatchNormalizationStayEqualOnReplicas() throws Exception {
        String convnet = "train.model={convnet: {channels: [4, 8]}}";
        TrainReports together =
                RankRun.of(file, folder.resolve("1"), 1, "ranks=3", "batch.size=16", "replicas=sync", convnet);
        TrainReports apart = RankRun.of(
                file, folder.resolve("2"), 3, "ranks=3", "batch.size=16", "replicas=sync", convnet, "parallelism=3");

        assertThat(hashes(together)).hasSize(1);
        assertThat(hashes(apart)).isEqualTo(hashes(together));
    }

    /** The two runs differ only in the order in which the rows' gradients are added. */
    @Test
    void twoReplicasMatchOneTrainerWithBatchesTwiceAsLarge() throws Exception {
        TrainReport two = RankRun.of(file, folder.resolve("two"), 1, "ranks=2", "replicas=sync")
                .whole();
        TrainReport one =
                RankRun.of(file, folder.resolve("one"), 1, "batch.size=64").whole();

        assertThat(two.counters().steps()).isEqualTo(one.counters().steps());
        assertThat(difference("one", "two")).isLessThan(1e-5);
        assertThat(two.result().accuracy()).isEqualTo(one.result().accuracy());
    }

    /** An update has 4 x 8 rows in each of 2 ranks. The last one of an epoch has 16 rows in one rank and 4 in the other. */
    @Test
    void accumulatingReplicasMatchOneTrainerWithBatchesOfAllRows() throws Exception {
        TrainReports two = RankRun.of(
                file,
                folder.resolve("two"),
                1,
                "ranks=2",
                "replicas=sync",
                "batch.size=8",
                "train.accumulate=4",
                "train.clip_norm=0.5");
        TrainReport one = RankRun.of(file, folder.resolve("one"), 1, "batch.size=64", "train.clip_norm=0.5")
                .whole();

        assertThat(hashes(two)).hasSize(1);
        assertThat(two.whole().counters().steps()).isEqualTo(3 * 42);
        assertThat(one.counters().steps()).isEqualTo(3 * 11);
        assertThat(difference("one", "two")).isLessThan(1e-5);
    }

    /** Returns the largest difference of a parameter. */
    private double difference(String first, String second) throws IOException {
        float[] expected = parameters(folder.resolve(first));
        float[] found = parameters(folder.resolve(second));
        assertThat(found).hasSameSizeAs(expected);
        double largest = 0;
        for (int i = 0; i < found.length; i++) {
            largest = Math.max(largest, Math.abs(found[i] - expected[i]));
        }
        return largest;
    }

    private static Set<String> hashes(TrainReports reports) {
        return reports.ranks().stream()
                .map(rank -> String.valueOf(rank.report().result().parametersSha256()))
                .collect(Collectors.toSet());
    }

    /** Returns the samples in a ledger, once for each time that they were trained on. */
    private static LongStream indexes(Path run) throws IOException {
        return Files.readAllLines(run.resolve("ledger.csv")).stream().skip(1).flatMapToLong(RanksITCase::samples);
    }

    private static LongStream samples(String line) {
        String samples = List.of(line.split(",", -1)).get(2);
        return samples.isEmpty()
                ? LongStream.empty()
                : List.of(samples.split(" ", -1)).stream().mapToLong(Long::parseLong);
    }

    private static float[] parameters(Path run) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(run.resolve("model/model.safetensors")))
                .order(ByteOrder.LITTLE_ENDIAN);
        int header = (int) file.getLong();
        FloatBuffer values = file.position(Long.BYTES + header)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
        float[] parameters = new float[values.remaining()];
        values.get(parameters);
        return parameters;
    }
}
