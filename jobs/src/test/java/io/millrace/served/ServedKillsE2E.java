package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SmallData;
import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ProcessOptions;
import io.millrace.cluster.TestCluster;
import io.millrace.python.PythonTrainer;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A training in Python whose processes are killed with -9 at random times: it ends with the same parameters, bit for bit, as one that
 * nobody disturbed, and each step that its checkpoints contain had the same samples. The program trains with PyTorch, or with numpy
 * where there is no PyTorch.
 *
 * <p>For a longer series of kills: {@code -Dmillrace.serve.kills=200}, another one with {@code -Dmillrace.serve.seed=2}.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(7200)
@Tag("processes")
class ServedKillsE2E {
    private static final Logger LOG = LoggerFactory.getLogger(ServedKillsE2E.class);
    private static final int KILLS = Integer.getInteger("millrace.serve.kills", 40);
    private static final long SEED = Long.getLong("millrace.serve.seed", 1);

    /** The kills on the cluster: one of eight. */
    private static final int CLUSTER_KILLS = KILLS / 8;

    /** The time after which Flink cancels a job whose front door was killed. The next JobManager hears of a living one sooner. */
    private static final int HEARTBEAT_SECONDS = 8;

    private static final int STEPS_PER_EPOCH = 16;
    private static final int STEPS_PER_KILL = 30;
    private static final double STEP_SECONDS = 0.03;
    private static final int MOST_STEPS = 10;
    private static final int MOST_MILLIS = 2_000;
    private static final int EPOCHS = 1 + (KILLS - CLUSTER_KILLS) * STEPS_PER_KILL / STEPS_PER_EPOCH;

    @TempDir
    static Path shared;

    private static PythonTrainer python;
    private static Path pipeline;
    private static JsonNode quiet;
    private static List<String> quietLedger;

    private final Random random = new Random(SEED);
    private final Map<Victim, Integer> killed = new EnumMap<>(Victim.class);

    /** What is killed at a time. */
    private enum Victim {
        CLIENT,
        /** The server, or the front door of a cluster: then its job still delivers until Flink cancels it, and another one follows. */
        SERVER,
        /** The TaskManager whose sink delivers to the client. */
        SINK,
        DATA_SERVER,
        JOB_MANAGER
    }

    /** Trains once without a kill. */
    @BeforeAll
    static void train() throws Exception {
        python = PythonTrainer.find();
        Path digits = SmallData.digits(shared.resolve("digits"));
        pipeline = SmallData.servedPipeline(shared.resolve("digits.yaml"), digits, shared.resolve("runs"), EPOCHS);
        try (ServedTraining training = new ServedTraining(shared.resolve("quiet"), python, pipeline)) {
            training.beginServer();
            training.startClient();
            quiet = training.finish();
            quietLedger = training.ledger();
            assertThat(training.requireSameRepetitions()).isZero();
            assertThat(quietLedger).hasSize(EPOCHS * STEPS_PER_EPOCH);
        }
    }

    @Test
    void killedClientsAndServersLeaveNoTrace(@TempDir Path folder) throws Exception {
        try (ServedTraining training = new ServedTraining(folder, python, pipeline).stepSeconds(STEP_SECONDS)) {
            training.beginServer();
            training.startClient();
            for (int kills = 0; kills < KILLS - CLUSTER_KILLS && !training.isDone(); ) {
                awaitAnyTime(training);
                int choice = random.nextInt(4);
                if (choice > 1) {
                    kill(Victim.SERVER, training.server().process());
                    kills++;
                }
                if (choice < 3) {
                    kill(Victim.CLIENT, training.client());
                    kills++;
                }
                training.supervise();
            }
            requireNoTrace(training, KILLS - CLUSTER_KILLS);
        }
    }

    /** Waits for some steps, or for some time, in which the processes may not even have started. */
    private void awaitAnyTime(ServedTraining training) throws IOException {
        int micros = random.nextInt(20_000);
        if (random.nextBoolean()) {
            training.awaitSteps(1 + random.nextInt(MOST_STEPS));
        } else {
            micros += random.nextInt(MOST_MILLIS) * 1_000;
        }
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void kill(Victim kind, Process process) {
        ServerProcess.kill(process);
        killed.merge(kind, 1, Integer::sum);
    }

    private void requireNoTrace(ServedTraining training, int kills) throws Exception {
        training.hurry();
        JsonNode result = training.finish();
        LOG.info(
                "{}: killed {}, {} steps, {} repeated",
                result.required("model").asText(),
                killed,
                training.ledger().size(),
                training.requireSameRepetitions());
        assertThat(killed.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(kills);
        assertThat(training.ledger()).isEqualTo(quietLedger);
        assertThat(result.required("sha256")).isEqualTo(quiet.required("sha256"));
    }

    @Test
    void killedProcessesOfAClusterLeaveNoTrace(@TempDir Path folder) throws Exception {
        Path temporary = Files.createDirectories(folder.resolve("temporary"));
        var settings = TestCluster.settings("elastic");
        settings = settings.with(Map.of(
                "env.java.opts.taskmanager",
                settings.options().get("env.java.opts.taskmanager") + " -Djava.io.tmpdir=" + temporary,
                "taskmanager.numberOfTaskSlots",
                "1",
                "$internal.dispatcher.client-aliveness-check.interval",
                "500ms",
                "restart-strategy.exponential-delay.attempts-before-reset-backoff",
                "1000",
                "restart-strategy.exponential-delay.reset-backoff-threshold",
                "1 s"));
        List<Victim> order = victims();
        try (TestCluster cluster = TestCluster.startSurviving(folder.resolve("cluster"), settings, 3);
                ServedTraining training = new ServedTraining(folder.resolve("training"), python, pipeline)
                        .on(cluster.address(), HEARTBEAT_SECONDS)
                        .stepSeconds(STEP_SECONDS)) {
            training.beginServer();
            training.startClient();
            for (Victim victim : order) {
                training.awaitSteps(1 + random.nextInt(MOST_STEPS));
                switch (victim) {
                    case CLIENT -> kill(victim, training.client());
                    case SERVER -> {
                        // A command that starts needs the JobManager, which may have been killed before.
                        cluster.await("the JobManager", () -> answers(cluster));
                        kill(victim, training.server().process());
                    }
                    case SINK, DATA_SERVER -> killTaskManager(cluster, temporary, victim);
                    case JOB_MANAGER -> {
                        cluster.jobManager().kill();
                        killed.merge(victim, 1, Integer::sum);
                    }
                }
                training.supervise();
                training.await(
                        "the job of the front door",
                        () -> training.server().printed().contains("\njob     "));
            }
            requireNoTrace(training, CLUSTER_KILLS);
            assertThat(servedFrom(temporary)).as("folders of sockets").isEmpty();
        }
    }

    private static boolean answers(TestCluster cluster) throws InterruptedException {
        try {
            new ClusterRest(cluster.web()).jobs();
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /** Returns the victims in a random order: every kind in each group. */
    private List<Victim> victims() {
        List<Victim> order = new ArrayList<>();
        while (order.size() < CLUSTER_KILLS) {
            List<Victim> group = new ArrayList<>(List.of(Victim.values()));
            Collections.shuffle(group, random);
            order.addAll(group);
        }
        return order.subList(0, CLUSTER_KILLS);
    }

    /** Kills a TaskManager, and starts another one in its place. */
    private void killTaskManager(TestCluster cluster, Path temporary, Victim kind) throws Exception {
        List<ClusterProcess> found = new ArrayList<>();
        cluster.await("a TaskManager: " + kind, () -> {
            List<Long> sinks = servedFrom(temporary);
            found.clear();
            for (ClusterProcess process : cluster.taskManagers()) {
                if (process.isAlive() && sinks.contains(process.pid()) == (kind == Victim.SINK)) {
                    found.add(process);
                }
            }
            return !found.isEmpty();
        });
        found.get(random.nextInt(found.size())).kill();
        killed.merge(kind, 1, Integer::sum);
        cluster.cluster().forgetDead();
        cluster.await("another TaskManager", () -> isAdded(cluster));
    }

    /** Adds a TaskManager, unless the keeper is just starting another JobManager. */
    private static boolean isAdded(TestCluster cluster) throws Exception {
        if (!cluster.jobManager().isAlive()) {
            return false;
        }
        try {
            cluster.add(ProcessOptions.NONE);
            return true;
        } catch (ClusterException e) {
            if (String.valueOf(e.getMessage()).startsWith("another command is starting")) {
                return false;
            }
            throw e;
        }
    }

    /** Returns the numbers of the processes that have the folder of a socket. */
    private static List<Long> servedFrom(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("millrace-serve-"))
                    .map(name -> Long.valueOf(name.split("-", -1)[2]))
                    .toList();
        }
    }
}
