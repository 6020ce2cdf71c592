package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.CommandRun;
import io.millrace.cli.SlowTraining;
import io.millrace.pipeline.UnevenDelay;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints that cannot be written do not end the run. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class LostCheckpointsE2E {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int EPOCHS = 2;

    @TempDir
    Path folder;

    private Path disk = Path.of("");
    private boolean mounted;

    private interface Change {
        void make() throws IOException;
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            run("umount", disk.toString());
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    @Test
    void temporarilyFullDiskLosesOnlyCheckpoints() throws Exception {
        disk = Files.createDirectories(folder.resolve("disk"));
        mounted = run("mount", "-t", "tmpfs", "-o", "size=2m", "none", disk.toString()) == 0;
        assumeTrue(mounted, "a disk that fills up needs the right to mount one");
        Path filler = disk.resolve("filler");

        trainWhile(disk.resolve("checkpoints"), () -> fill(filler), () -> Files.delete(filler));
    }

    @Test
    void temporarilyMissingFolderLosesOnlyCheckpoints() throws Exception {
        Path path = folder.resolve("checkpoints");
        Path away = folder.resolve("away");

        trainWhile(
                path,
                () -> {
                    Files.move(path, away);
                    Files.createFile(path);
                },
                () -> {
                    Files.delete(path);
                    Files.move(away, path);
                });
    }

    /** Trains, makes checkpoints fail for a while, and compares the run with the undisturbed one. */
    private void trainWhile(Path checkpoints, Change fail, Change mend) throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        Path pipeline = training.held("lost", 200, "checkpoint: { interval: 200ms, path: %s }".formatted(checkpoints));
        ClientProcess programs = UnevenDelay.programs(folder);
        Process process = programs.begin("train", pipeline.toString());
        try {
            await(() -> newest(checkpoints) > 2, process);
            long before = newest(checkpoints);
            fail.make();
            await(() -> hasLoggedFailures(), process);
            mend.make();
            await(() -> newest(checkpoints) > before, process);
            training.release();
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(programs.printed()).isZero();
        training.requireUndisturbed("lost");
        assertThat(CommandRun.summary(training.runs("lost"))
                        .required("restarts")
                        .asInt())
                .isZero();
    }

    private static void fill(Path filler) throws IOException {
        byte[] bytes = new byte[1024];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(bytes);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    /** Returns whether Flink has logged checkpoints that could not be written. */
    private boolean hasLoggedFailures() throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve("client.log"))) {
            return lines.filter(line -> line.contains("Failed to trigger or complete checkpoint"))
                            .count()
                    >= 3;
        }
    }

    private static long newest(Path checkpoints) throws IOException {
        if (!Files.isDirectory(checkpoints)) {
            return 0;
        }
        try (Stream<Path> files = Files.find(checkpoints, 3, (file, about) -> file.endsWith("_metadata"))) {
            return files.map(file ->
                            file.getName(file.getNameCount() - 2).toString().replaceAll("\\D", ""))
                    .mapToLong(Long::parseLong)
                    .max()
                    .orElse(0);
        } catch (UncheckedIOException e) {
            return 0; // Flink removed a checkpoint while the folder was read
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition, Process process) throws IOException {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            assertThat(process.isAlive()).isTrue();
            assertThat(System.nanoTime()).isLessThan(giveUp);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
