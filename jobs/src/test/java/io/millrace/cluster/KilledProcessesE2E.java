package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SlowTraining;
import io.millrace.pipeline.UnevenDelay;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeated {@code kill -9} of every kind of process of a cluster. The run equals the undisturbed one. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class KilledProcessesE2E {
    private static final Logger LOG = LoggerFactory.getLogger(KilledProcessesE2E.class);
    private static final long SEED = 20;
    private static final int WORKER_KILLS = 4;
    private static final int JOB_MANAGER_AFTER = 2;
    private static final int EPOCHS = 8;
    private static final int DELAY_MILLIS = 100;

    private enum Victim {
        TRAINER,
        DATA_SERVER,
        JOB_MANAGER
    }

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);

    /** Returns the shipped settings, except that repeated failures do not lengthen the pauses between restarts. */
    private static ClusterSettings settings() throws Exception {
        return TestCluster.settings("elastic")
                .with(Map.of(
                        "taskmanager.numberOfTaskSlots",
                        "1",
                        "restart-strategy.exponential-delay.attempts-before-reset-backoff",
                        "100",
                        "restart-strategy.exponential-delay.reset-backoff-threshold",
                        "1 s"));
    }

    @Test
    void killedDataServersTrainersAndJobManagerLeaveNoTrace() throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline = training.held(
                "killed", DELAY_MILLIS, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        try (TestCluster cluster = TestCluster.startSurviving(folder.resolve("cluster"), settings(), 3)) {
            ClusterJob job =
                    ClusterJob.submit(cluster, UnevenDelay.programs(folder), pipeline, folder.resolve("killed.json"));

            for (int kill = 0; kill < WORKER_KILLS; kill++) {
                if (kill == JOB_MANAGER_AFTER) {
                    disturb(cluster, job, checkpoints, Victim.JOB_MANAGER);
                }
                disturb(cluster, job, checkpoints, kill % 2 == 0 ? Victim.TRAINER : Victim.DATA_SERVER);
                cluster.cluster().forgetDead();
                cluster.add(ProcessOptions.NONE);
            }

            assertThat(job.summary()).as("the summary before the end").isEmpty();
            training.release();
            JsonNode summary = job.await();
            LOG.info("{} restarts", summary.path("restarts"));
            training.requireUndisturbed(job.run(), summary);
        }
    }

    /** Kills one process some steps after a new checkpoint, and waits until training continues. */
    private void disturb(TestCluster cluster, ClusterJob job, Path checkpoints, Victim kind) throws Exception {
        long checkpoint = job.latestCheckpoint(checkpoints);
        cluster.await("a new checkpoint", () -> job.latestCheckpoint(checkpoints) > checkpoint);
        long steps = job.stepsWritten() + random.nextInt(20);
        cluster.await("step " + steps, () -> job.stepsWritten() >= steps);
        ClusterProcess victim = victim(cluster, job, kind);
        Object file = job.stepsFile();
        long killed = System.nanoTime();
        victim.kill();
        cluster.await("a restart after the death of the " + kind, () -> !job.stepsFile()
                .equals(file));
        long restored = job.stepsWritten();
        cluster.await("a step after the death of the " + kind, () -> job.stepsWritten() > restored);
        LOG.info(
                "{} {} killed near step {}: trains again after {} s, from step {}",
                kind,
                victim.id(),
                steps,
                String.format(Locale.ROOT, "%.1f", (System.nanoTime() - killed) / 1e9),
                restored);
    }

    private static ClusterProcess victim(TestCluster cluster, ClusterJob job, Victim kind) throws Exception {
        if (kind == Victim.JOB_MANAGER) {
            return cluster.jobManager();
        }
        ClusterProcess[] found = new ClusterProcess[1];
        cluster.await("the job's " + kind, () -> {
            Optional<ClusterProcess> process = kind == Victim.TRAINER ? job.trainer() : job.dataServer();
            process.ifPresent(p -> found[0] = p);
            return process.isPresent();
        });
        return found[0];
    }
}
