package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.order.BatchPlan;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.trainer.Accidents.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of real trainings with real checkpoints and failures. Their results equal those of a run without failures. */
class TrainingRecoveryITCase {
    private static final int SLOTS = 5;

    /** The reports of undisturbed runs, by whether the last batch of an epoch is dropped. */
    private static final Map<Boolean, TrainReport> QUIET = new HashMap<>();

    @TempDir
    Path folder;

    private TrainingCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TrainingCluster.start(2, SLOTS);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.stop();
    }

    private static BatchPlan plan(boolean dropLast) {
        return new BatchPlan(3011, 32, dropLast, 24, 210, 3);
    }

    private RecoveryRun run(String name, boolean dropLast) throws Exception {
        return new RecoveryRun(plan(dropLast), Files.createDirectories(folder.resolve(name)));
    }

    /** Returns the report of an undisturbed run, which is trained once for all tests of this class. */
    private TrainReport quiet(boolean dropLast) throws Exception {
        TrainReport known = QUIET.get(dropLast);
        if (known == null) {
            known = quiet(run("quiet", dropLast));
            QUIET.put(dropLast, known);
        }
        return known;
    }

    private TrainReport quiet(RecoveryRun run) throws Exception {
        TrainReport report = cluster.quiet(run);
        assertThat(report.task().checkpoints()).isEqualTo(SnapshotCost.NONE);
        return report;
    }

    private static void requireSame(TrainReport report, TrainReport quiet) {
        assertThat(report.result().parametersSha256()).isEqualTo(quiet.result().parametersSha256());
        assertThat(report.counters().steps()).isEqualTo(quiet.counters().steps());
        assertThat(report.counters().samples()).isEqualTo(quiet.counters().samples());
        assertThat(report.result().evaluationLoss()).isEqualTo(quiet.result().evaluationLoss());
        assertThat(report.result().accuracy()).isEqualTo(quiet.result().accuracy());
        assertThat(report.task().quarantined()).isEqualTo(quiet.task().quarantined());
        assertThat(report.task().quarantinedRows()).isEqualTo(quiet.task().quarantinedRows());
    }

    @ParameterizedTest
    @CsvSource({
        "BETWEEN_SOURCE_AND_PACK, false, 1, false",
        "BETWEEN_SOURCE_AND_PACK, true, 2, true",
        "TRAINER, false, 3, true",
        "TRAINER, true, 4, false"
    })
    void failuresDoNotChangeTheResult(Place place, boolean unaligned, long seed, boolean dropLast) throws Exception {
        TrainReport quiet = quiet(dropLast);
        RecoveryRun run = run("run", dropLast);
        Accidents.plan(place, 4, seed);

        TrainReport report = cluster.report(
                cluster.submit(run.graph(3, RecoveryRun.checkpointed(folder.resolve("checkpoints"), unaligned))));

        assertThat(Accidents.left()).isZero();
        assertThat(report.task().restarts()).isGreaterThanOrEqualTo(4);
        assertThat(report.task().checkpoints().count()).isPositive();
        requireSame(report, quiet);
        run.requireWholeHistory();
    }

    @ParameterizedTest
    @CsvSource({
        "BETWEEN_SOURCE_AND_PACK, false, 31, false",
        "BETWEEN_SOURCE_AND_PACK, true, 32, true",
        "TRAINER, false, 33, true",
        "TRAINER, true, 34, false"
    })
    void failuresOfTheOnlyTaskDoNotChangeTheResult(Place place, boolean unaligned, long seed, boolean dropLast)
            throws Exception {
        TrainReport quiet = quiet(dropLast);
        RecoveryRun run = run("run", dropLast);
        Accidents.plan(place, 4, seed);

        TrainReport report = cluster.report(
                cluster.submit(run.oneTask(RecoveryRun.checkpointed(folder.resolve("checkpoints"), unaligned))));

        assertThat(Accidents.left()).isZero();
        assertThat(report.task().restarts()).isGreaterThanOrEqualTo(4);
        assertThat(report.task().checkpoints().count()).isPositive();
        requireSame(report, quiet);
        run.requireWholeHistory();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void checkpointOfTheOnlyTaskContinuesInAnotherFolder() throws Exception {
        TrainReport quiet = quiet(false);
        Accidents.plan(Place.NOWHERE, 0, 0);
        Configuration checkpointed = RecoveryRun.checkpointed(folder.resolve("checkpoints"), false);
        JobID job = cluster.submit(run("run", false).oneTask(checkpointed));
        Accidents.await(2, 250);
        String checkpoint = cluster.checkpointAndCancel(job);

        RecoveryRun next = run("next", false);
        TrainReport report = cluster.report(cluster.submit(next.oneTask(checkpointed), checkpoint));
        requireSame(report, quiet);
        next.requireWholeHistory();
        assertThat(report.counters().earlierSteps()).isPositive();
    }

    /**
     * Most checkpoints of this test are made between the batches of an update, so they contain accumulated gradients.
     */
    @Test
    void failuresWithinAnUpdateOfSeveralBatchesDoNotChangeTheResult() throws Exception {
        TrainReport quiet = quiet(new RecoveryRun(plan(false), Files.createDirectories(folder.resolve("quiet")), 7));
        RecoveryRun run = new RecoveryRun(plan(false), Files.createDirectories(folder.resolve("run")), 7);
        Accidents.plan(Place.TRAINER, 4, 9);

        TrainReport report = cluster.report(
                cluster.submit(run.graph(3, RecoveryRun.checkpointed(folder.resolve("checkpoints"), false))));

        assertThat(Accidents.left()).isZero();
        requireSame(report, quiet);
        run.requireWholeHistory();
    }

    @ParameterizedTest
    @CsvSource({"false, 5, false", "true, 6, true"})
    void lostTaskManagersDoNotChangeTheResult(boolean unaligned, long seed, boolean dropLast) throws Exception {
        TrainReport quiet = quiet(dropLast);
        RecoveryRun run = run("run", dropLast);
        Random random = new Random(seed);
        Accidents.plan(Place.NOWHERE, 0, 0);

        JobID job =
                cluster.submit(run.graph(SLOTS, RecoveryRun.checkpointed(folder.resolve("checkpoints"), unaligned)));
        for (int vanished = 0; vanished < 3; vanished++) {
            Accidents.await(1, 1 + random.nextInt(60));
            cluster.replaceTaskManager(vanished);
        }
        TrainReport report = cluster.report(job);

        // A TaskManager that is lost without a task, or during a restart, does not cause another restart.
        assertThat(report.task().restarts()).isPositive();
        requireSame(report, quiet);
        run.requireWholeHistory();
    }

    @ParameterizedTest
    @CsvSource({"false, 7", "true, 8"})
    void checkpointContinuesAtAnotherParallelismInAnotherFolder(boolean unaligned, long seed) throws Exception {
        TrainReport quiet = quiet(false);
        Accidents.plan(Place.NOWHERE, 0, 0);
        Configuration checkpointed = RecoveryRun.checkpointed(folder.resolve("checkpoints"), unaligned);
        JobID job = cluster.submit(run("run", false).graph(3, checkpointed));
        Accidents.await(2, 100 + new Random(seed).nextInt(400));
        String checkpoint = cluster.checkpointAndCancel(job);
        assertThat(folder.resolve("run/model")).doesNotExist();

        for (int parallelism : new int[] {1, 5}) {
            RecoveryRun next = run("next-" + parallelism, false);
            TrainReport report = cluster.report(cluster.submit(next.graph(parallelism, checkpointed), checkpoint));
            requireSame(report, quiet);
            next.requireWholeHistory();
            assertThat(report.counters().earlierSteps()).isPositive();
        }
    }

    @Test
    void stopWithSavepointWritesAModelAndTheSavepointContinues() throws Exception {
        TrainReport quiet = quiet(true);
        Accidents.plan(Place.NOWHERE, 0, 0);
        RecoveryRun run = run("run", true);
        JobID job = cluster.submit(run.graph(2, RecoveryRun.checkpointed(folder.resolve("checkpoints"), false)));
        Accidents.await(1, 50);
        String savepoint = cluster.stopWithSavepoint(
                job, folder.resolve("savepoints").toUri().toString());
        TrainReport stopped = cluster.report(job);
        assertThat(stopped.finished()).isFalse();
        assertThat(stopped.result().parametersSha256()).hasSize(64);
        assertThat(folder.resolve("run/model/model.safetensors")).exists();
        assertThat(Files.readAllLines(folder.resolve("run/steps.csv")))
                .hasSize((int) stopped.counters().steps() + 1);
        SavedRun.Place place = SavedRun.place(folder.resolve("run/model/state"));

        RecoveryRun next = run("next", true);
        TrainReport report = cluster.report(cluster.submit(next.graph(3, new Configuration()), savepoint));
        assertThat(report.counters().earlierSteps())
                .isEqualTo(stopped.counters().steps());
        assertThat(place.nextBatch()).isPositive();
        requireSame(report, quiet);
        next.requireWholeHistory();
    }
}
