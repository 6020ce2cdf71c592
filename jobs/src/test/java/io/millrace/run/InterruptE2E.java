package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.JavaCommand;
import io.millrace.cli.Main;
import io.millrace.cli.SmallData;
import io.millrace.python.PythonWithNumpy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests of Ctrl-C on a program in a process of its own. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class InterruptE2E {
    private static final int MOST_SECONDS_TO_STOP = 20;

    @TempDir
    Path folder;

    /** The exit code of the program, the time that it took after Ctrl-C, and its output. */
    private record Stopped(int exitCode, double seconds, List<String> lines) {}

    /** Starts {@code train}, waits for a line of output, sends SIGINT and waits for the end. */
    private Stopped interrupt(Path pipeline, Predicate<String> when) throws IOException, InterruptedException {
        List<String> command = JavaCommand.of(
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "1g",
                folder.resolve("log"),
                List.of("train", pipeline.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            long askedNanos = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (askedNanos == 0 && when.test(line)) {
                    askedNanos = System.nanoTime();
                    new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                            .start()
                            .waitFor();
                }
            }
            assertThat(askedNanos)
                    .as("when Ctrl-C was pressed; printed was %s", lines)
                    .isNotZero();
            int exitCode = process.waitFor();
            return new Stopped(exitCode, (System.nanoTime() - askedNanos) / 1e9, lines);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void interruptedTrainingStopsCleanlyAndReportsItsProgress() throws Exception {
        Path runs = folder.resolve("runs");
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs);
        Path temporary = folder.resolve("temporary");
        Files.writeString(
                pipeline,
                Files.readString(pipeline).replace("epochs: 2", "epochs: endless") + "\nflink: { io.tmp.dirs: "
                        + temporary + " }\n");

        Stopped stopped = interrupt(pipeline, line -> line.matches("epoch ([2-9]|\\d{2,}).*"));

        assertThat(stopped.exitCode).as("%s", stopped.lines).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(stopped.seconds).isLessThan(MOST_SECONDS_TO_STOP);
        assertThat(stopped.lines).anyMatch(line -> line.matches("interrupted [0-9,]+ samples in [0-9,]+ steps.*"));
        assertThat(stopped.lines)
                .contains("continue with ./millrace train " + pipeline + " --resume " + CommandRun.folder(runs));
        assertThat(stopped.lines).noneMatch(line -> line.contains("Exception") || line.startsWith("millrace: "));
        assertThat(temporary).as("what Flink wrote there is deleted").isEmptyDirectory();
        JsonNode summary = CommandRun.summary(runs);
        assertThat(summary.required("status").asText()).isEqualTo("interrupted");
        int steps = summary.required("steps").asInt();
        assertThat(steps).isPositive();
        assertThat(summary.required("parameters_sha256").asText()).hasSize(64);
        List<String> log = Files.readAllLines(CommandRun.folder(runs).resolve("steps.csv"));
        assertThat(log).hasSize(steps + 1).allMatch(line -> line.split(",", -1).length == 7);
        assertThat(log.get(steps)).startsWith((steps - 1) + ",");
        assertThat(CommandRun.folder(runs).resolve("model")).isNotEmptyDirectory();
        try (Stream<Path> left = Files.list(CommandRun.folder(runs))) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "summary.json",
                            "report.html",
                            "steps.csv",
                            "quarantine.jsonl",
                            "model",
                            "checkpoints",
                            "run.json",
                            "pipeline.json");
        }
    }

    @Test
    void aSampleThatIsNeverReadDoesNotKeepAProgramFromItsEnd() throws Exception {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "needs Python 3.9 or newer with numpy");
        Path stuck = folder.resolve("stuck");
        Files.writeString(folder.resolve("augment.py"), """
                import threading
                calls = 0
                def stuck(image):
                    global calls
                    calls += 1
                    if calls > 3000:
                        open(r"%s", "w").close()
                        threading.Event().wait()
                    return image
                """.formatted(stuck));
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, folder.resolve("runs"));
        Files.writeString(
                pipeline,
                Files.readString(pipeline)
                                .replace("epochs: 2", "epochs: endless")
                                .replace(
                                        "RandomMask: { ratio: 0.05 }", "python: { call: 'augment:stuck', timeout: 1h }")
                        + "\npython: { executable: " + python.orElseThrow() + " }\n");
        Path out = folder.resolve("out");
        Process train = new ProcessBuilder(JavaCommand.of(
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "1g",
                        folder.resolve("log"),
                        List.of("train", pipeline.toString())))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            while (!Files.exists(stuck)) {
                assertThat(train.isAlive()).as("%s", Files.readString(out)).isTrue();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            train.destroy(); // SIGTERM
            assertThat(train.waitFor(2 * MOST_SECONDS_TO_STOP, TimeUnit.SECONDS))
                    .as("ended; printed was %s", Files.readString(out))
                    .isTrue();
            assertThat(train.exitValue()).as("%s", Files.readString(out)).isNotZero();
        } finally {
            train.destroyForcibly();
        }
    }

    @Test
    void interruptedStartEndsAtOnce() throws Exception {
        Path runs = folder.resolve("runs");
        Path photos = folder.resolve("photos");
        Path pipeline = SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, runs);
        String endless = "path: " + photos + ", generate: { photos: { count: 1000000 } }";
        Files.writeString(pipeline, Files.readString(pipeline).replace("path: " + photos, endless));

        Stopped stopped = interrupt(pipeline, line -> line.contains("generating it with 'generate photos'"));

        assertThat(stopped.exitCode).as("%s", stopped.lines).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(stopped.seconds).isLessThan(MOST_SECONDS_TO_STOP);
        assertThat(stopped.lines).contains("millrace: interrupted before training began");
        assertThat(runs).doesNotExist();
    }
}
