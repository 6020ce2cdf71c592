package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.SlowTraining;
import io.millrace.pipeline.UnevenDelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** TaskManagers whose clock jumps forwards and backwards while they train and write checkpoints. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class JumpingClockE2E {
    private static final List<String> JUMPS = List.of("+3600", "-3600", "+86400");
    private static final int EPOCHS = 3;

    @TempDir
    Path folder;

    /** Returns the library of Debian's package libfaketime, which replaces the system's clock. */
    private static Optional<Path> fakeTime() throws IOException {
        Path libraries = Path.of("/usr/lib");
        if (!Files.isDirectory(libraries)) {
            return Optional.empty();
        }
        try (Stream<Path> architectures = Files.list(libraries)) {
            return architectures
                    .map(folder -> folder.resolve("faketime/libfaketimeMT.so.1"))
                    .filter(Files::isReadable)
                    .findFirst();
        }
    }

    /** Returns options with which only the time of day jumps. The JVM measures and waits with a monotonic clock. */
    private static ProcessOptions jumping(Path library, Path clock) {
        return new ProcessOptions(
                Map.of(),
                List.of(),
                Map.of(
                        "LD_PRELOAD", library.toString(),
                        "FAKETIME_TIMESTAMP_FILE", clock.toString(),
                        "FAKETIME_NO_CACHE", "1",
                        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                        "FAKETIME_FORCE_MONOTONIC_FIX", "0"),
                List.of());
    }

    @Test
    void jumpingClocksChangeNothing() throws Exception {
        Optional<Path> library = fakeTime();
        assumeTrue(library.isPresent(), "a clock that jumps needs libfaketime");
        Path clock = Files.writeString(folder.resolve("clock.txt"), "+0");
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline = training.held("clock", 100, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        ClusterSettings settings = TestCluster.settings("elastic").with(Map.of("taskmanager.numberOfTaskSlots", "1"));
        ClusterStart start = new ClusterStart(settings, 2, jumping(library.get(), clock));
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), start)) {
            ClusterJob job =
                    ClusterJob.submit(cluster, UnevenDelay.programs(folder), pipeline, folder.resolve("clock.json"));
            for (String jump : JUMPS) {
                awaitCheckpoints(cluster, job, checkpoints);
                set(clock, jump);
                awaitCheckpoints(cluster, job, checkpoints);
            }
            assertThat(job.isDone()).isFalse();
            // A state that was saved before a jump is restored after it.
            Object file = job.stepsFile();
            ClusterProcess trainer = job.awaitTrainer();
            trainer.kill();
            cluster.await("a restart", () -> !job.stepsFile().equals(file));
            set(clock, "-3600");
            training.release();
            training.requireUndisturbed(job.run(), job.await());
            ClusterProcess survivor = cluster.taskManagers().stream()
                    .filter(ClusterProcess::isAlive)
                    .findFirst()
                    .orElseThrow();
            assertThat(hours(survivor.log())).as("hours in %s", survivor.log()).isGreaterThan(1);
        }
    }

    /** Replaces the file atomically, because the library may read it at any moment. */
    private static void set(Path clock, String jump) throws IOException {
        Path next = Files.writeString(clock.resolveSibling("clock.next"), jump);
        Files.move(next, clock, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the number of different hours in which a log was written. */
    private static long hours(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:.*"))
                    .map(line -> line.substring(0, "2000-01-01 00".length()))
                    .distinct()
                    .count();
        }
    }

    private static void awaitCheckpoints(TestCluster cluster, ClusterJob job, Path checkpoints) throws Exception {
        long before = job.latestCheckpoint(checkpoints);
        cluster.await("a checkpoint", () -> job.latestCheckpoint(checkpoints) > before + 1);
    }
}
