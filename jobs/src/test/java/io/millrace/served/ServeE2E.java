package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SmallData;
import io.millrace.python.PythonTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A training in Python whose processes are stopped or have too little memory: it ends with the same parameters as one that
 * nobody disturbed.
 */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ServeE2E {
    private static final double STEP_SECONDS = 0.005;

    /** The words before a command that has a /dev/shm of 64 KiB. */
    private static final List<String> TINY = List.of(
            "unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /dev/shm && exec \"$0\" \"$@\"");

    @TempDir
    static Path shared;

    private static PythonTrainer python;
    private static Path digits;

    @BeforeAll
    static void findPython() throws Exception {
        python = PythonTrainer.find().withoutTorch();
        digits = SmallData.digits(shared.resolve("digits"));
    }

    private static Path pipeline(Path folder, int epochs) throws IOException {
        return SmallData.servedPipeline(folder.resolve("digits.yaml"), digits, folder.resolve("runs"), epochs);
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
    void stoppedClientAndServerContinueWhereTheyWere(@TempDir Path folder) throws Exception {
        Path pipeline = pipeline(folder, 20);
        JsonNode quiet = undisturbed(folder.resolve("quiet"), pipeline);
        try (ServedTraining training =
                new ServedTraining(folder.resolve("stopped"), python, pipeline).stepSeconds(STEP_SECONDS)) {
            training.startServer();
            training.startClient();
            training.awaitSteps(10);
            for (Process stopped : List.of(training.server().process(), training.client())) {
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
        Path pipeline = pipeline(folder, 20);
        try (ServedTraining training = new ServedTraining(folder.resolve("file"), python, pipeline)
                .memory("file")
                .stepSeconds(STEP_SECONDS)) {
            training.startServer();
            training.startClient();
            training.awaitSteps(2);
            assertThat(training.server().sharedFiles()).isEmpty();
            ServerProcess.kill(training.client());
            training.hurry();
            training.startClient();
            training.finish();
        }
    }
}
