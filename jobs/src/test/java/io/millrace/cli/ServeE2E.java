package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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
 * A training in Python whose processes are killed, stopped or have too little memory: it ends with the same parameters as
 * one that nobody disturbed.
 *
 * <p>For a longer series of kills: {@code -Dmillrace.serve.kills=200}, another one with {@code -Dmillrace.serve.seed=2}.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(3600)
@Tag("processes")
class ServeE2E {
    private static final Logger LOG = LoggerFactory.getLogger(ServeE2E.class);
    private static final int KILLS = Integer.getInteger("millrace.serve.kills", 6);
    private static final long SEED = Long.getLong("millrace.serve.seed", 1);
    private static final int STEPS_PER_EPOCH = 16;
    private static final int STEPS_PER_KILL = 15;
    private static final double STEP_SECONDS = 0.005;
    private static final int MOST_STEPS_BETWEEN_KILLS = 10;

    /** The words before a command that has a /dev/shm of 64 KiB. */
    private static final List<String> TINY = List.of(
            "unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /dev/shm && exec \"$0\" \"$@\"");

    @TempDir
    static Path shared;

    private static String python;
    private static Path digits;

    @BeforeAll
    static void findPython() throws Exception {
        Optional<String> found = PythonWithNumpy.find();
        assumeTrue(found.isPresent(), "no python3 3.9 or newer with numpy");
        python = found.orElseThrow();
        digits = SmallData.digits(shared.resolve("digits"));
    }

    private static Path pipeline(Path folder, int epochs) throws IOException {
        return Files.writeString(Files.createDirectories(folder).resolve("digits.yaml"), """
                name: digits
                dataset: { format: idx, path: %s, epochs: %d }
                transforms: [ RandomMask: { ratio: 0.05 } ]
                parallelism: 2
                batch: { size: 32 }
                run: { folder: %s, web_port: 0 }
                """.formatted(
                        digits, epochs, folder.resolve("runs")));
    }

    /** Returns the ledger and the result of a training that nobody disturbs. */
    private static JsonNode undisturbed(Path folder, Path pipeline) throws Exception {
        try (ServedTraining training = new ServedTraining(folder, python, pipeline)) {
            training.startServer();
            training.startClient();
            JsonNode result = training.finish();
            assertThat(training.requireSameRepetitions()).isZero();
            return result;
        }
    }

    @Test
    void killedClientsAndServersLeaveNoTrace(@TempDir Path folder) throws Exception {
        int epochs = 1 + KILLS * STEPS_PER_KILL / STEPS_PER_EPOCH;
        Path pipeline = pipeline(folder, epochs);
        JsonNode quiet = undisturbed(folder.resolve("quiet"), pipeline);
        Random random = new Random(SEED);
        int kills = 0;
        int both = 0;
        List<Long> servers = new ArrayList<>();
        try (ServedTraining training =
                new ServedTraining(folder.resolve("killed"), python, pipeline).stepSeconds(STEP_SECONDS)) {
            training.startServer();
            training.startClient();
            while (kills < KILLS && !training.isDone()) {
                training.awaitSteps(1 + random.nextInt(MOST_STEPS_BETWEEN_KILLS));
                long nanos = TimeUnit.MICROSECONDS.toNanos(random.nextInt(20_000));
                for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
                    Thread.onSpinWait();
                }
                int victims = random.nextInt(3);
                boolean server = victims != 0;
                boolean client = victims != 1;
                servers.add(training.server().pid());
                Path socket = training.socketFolder();
                if (training.isDone()) {
                    break;
                }
                if (server) {
                    ServedTraining.kill(training.server());
                    kills++;
                }
                if (client) {
                    ServedTraining.kill(training.client());
                    kills++;
                }
                both += server && client ? 1 : 0;
                if (server) {
                    assertThat(socket).exists();
                    training.startServer();
                    assertThat(socket).doesNotExist();
                }
                if (client) {
                    training.startClient();
                }
            }
            JsonNode result = training.finish();

            long repeated = training.requireSameRepetitions();
            LOG.info(
                    "{} kills, {} of both at once, {} steps, {} repeated",
                    kills,
                    both,
                    training.ledger().size(),
                    repeated);
            assertThat(kills).isGreaterThanOrEqualTo(KILLS);
            assertThat(training.ledger())
                    .hasSize(epochs * STEPS_PER_EPOCH)
                    .isEqualTo(Files.readAllLines(folder.resolve("quiet/ledger.csv")));
            assertThat(result.required("sha256")).isEqualTo(quiet.required("sha256"));
            assertThat(ServedTraining.sharedFiles(servers)).isEmpty();
            assertThat(training.socketFolder()).doesNotExist();
        }
    }

    @Test
    void stoppedClientAndServerContinueWhereTheyWere(@TempDir Path folder) throws Exception {
        Path pipeline = pipeline(folder, 20);
        JsonNode quiet = undisturbed(folder.resolve("quiet"), pipeline);
        try (ServedTraining training =
                new ServedTraining(folder.resolve("stopped"), python, pipeline).stepSeconds(STEP_SECONDS)) {
            training.startServer();
            training.startClient();
            training.awaitSteps(10);
            for (Process stopped : List.of(training.server(), training.client())) {
                ServedTraining.signal(stopped, "STOP");
                training.awaitStandstill(TimeUnit.SECONDS.toNanos(2));
                assertThat(training.isDone()).isFalse();
                ServedTraining.signal(stopped, "CONT");
                training.awaitSteps(10);
            }
            JsonNode result = training.finish();
            assertThat(training.requireSameRepetitions()).isZero();
            assertThat(result.required("stats").required("reconnects").asInt()).isZero();
            assertThat(result.required("sha256")).isEqualTo(quiet.required("sha256"));
        }
    }

    private static List<String> commandWith(List<String> prefix, String command) {
        List<String> all = new ArrayList<>(prefix);
        all.add(command);
        return all;
    }

    @Test
    void tinySharedMemoryIsRefusedWithTheReasonAndLeavesNothing(@TempDir Path folder) throws Exception {
        assumeTrue(
                new ProcessBuilder(commandWith(TINY, "true")).start().waitFor() == 0,
                "only root can mount a small /dev/shm");
        Path pipeline = pipeline(folder, 1);
        try (ServedTraining training =
                new ServedTraining(folder.resolve("tiny"), python, pipeline, TINY).memory("file")) {
            training.startServer();
            training.startClient();
            assertThat(training.client().waitFor()).isEqualTo(1);
            assertThat(training.clientOutput()).contains("no kind of memory can be used", "/dev/shm has no room for");
            training.memory("auto").startClient();
            assertThat(training.finish().required("stats").at("/memory/kind").asText())
                    .isEqualTo("inline"); // because the address is not a Unix socket
        }
    }

    @Test
    void killedClientOfAServersFileLeavesNoFile(@TempDir Path folder) throws Exception {
        Path pipeline = pipeline(folder, 2);
        try (ServedTraining training = new ServedTraining(folder.resolve("file"), python, pipeline)
                .memory("file")
                .stepSeconds(STEP_SECONDS)) {
            training.startServer();
            List<Long> server = List.of(training.server().pid());
            training.startClient();
            training.awaitSteps(2);
            assertThat(ServedTraining.sharedFiles(server)).isEmpty();
            ServedTraining.kill(training.client());
            training.startClient();
            training.finish();
            assertThat(ServedTraining.sharedFiles(server)).isEmpty();
            assertThat(training.socketFolder()).doesNotExist();
        }
    }
}
