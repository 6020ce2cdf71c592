package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs on a machine without a free port, a writable folder, space on the disk or the device, or in a folder with an unusual name. */
class BadPlaceITCase {
    @TempDir
    Path folder;

    private CommandRun train(Path runs, String... settings) throws IOException {
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs);
        List<String> command = new ArrayList<>(List.of("train", pipeline.toString()));
        for (String setting : settings) {
            command.addAll(List.of("--set", setting));
        }
        return CommandRun.of(command.toArray(String[]::new));
    }

    @Test
    void occupiedPortIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            train(folder.resolve("runs"), "run.web_port=" + port)
                    .fails(ExitCode.FAILED, "port " + port + " is taken by another program", "set run.web_port");
        }
        assertThat(folder.resolve("runs")).doesNotExist();
    }

    @Test
    void folderThatCannotBeCreatedIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        train(file.resolve("runs"), "parallelism=1").fails(ExitCode.FAILED, "cannot write " + file.resolve("runs"));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fullDiskIsReportedWithTheFileThatDidNotFit() throws Exception {
        Path small = Files.createDirectory(folder.resolve("small"));
        assumeTrue(
                command("mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", small.toString()),
                "a small file system cannot be mounted without root, so a full disk is not tried");
        try {
            CommandRun run = train(small, "parallelism=1");
            run.fails(ExitCode.FAILED, "cannot write " + small, "No space left on device");
            assertThat(run.out()).contains("failed after 1,000 samples in 32 steps");
            assertThat(CommandRun.summary(small).required("message").asText()).contains("No space left on device");
        } finally {
            assertThat(command("umount", small.toString())).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lr[1]", "{lr=1,wd=2}", "\"a\"\tb", "a b%20", "größe#?"})
    void folderWithUnusualCharactersHasTheCheckpointsOfItsRunToo(String name) throws IOException {
        String setting = setting(folder.resolve(name));
        CommandRun first = train(folder.resolve("runs"), setting, "checkpoint={interval: 50ms}");
        assertThat(first.exitCode()).as(first.err()).isZero();
        CommandRun longer = CommandRun.of(
                "train",
                folder.resolve("digits.yaml").toString(),
                "--resume",
                "--set",
                setting,
                "--set",
                "dataset.epochs=3");
        assertThat(longer.exitCode()).as(longer.err()).isZero();
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("digits", "digits.yaml", name);
    }

    /** Returns the setting of a folder for runs. JSON's texts are YAML's, too. */
    private static String setting(Path runs) throws IOException {
        return "run.folder=" + new ObjectMapper().writeValueAsString(runs.toString());
    }

    @Test
    void folderInWhichFlinkCannotWriteCheckpointsIsRefused() throws IOException {
        String setting = setting(folder.resolve("a\\b"));
        train(folder.resolve("runs"), setting)
                .fails(
                        ExitCode.FAILED,
                        "Flink cannot write checkpoints to a folder whose path has a backslash",
                        "checkpoint.path");
        assertThat(train(folder.resolve("runs"), setting, "checkpoint=off").exitCode())
                .isZero();
    }

    @Test
    void manyTasksHaveTheNetworkBuffersThatTheyNeed() throws IOException {
        // Large buffers, so that few tasks need more than Flink's usual memory.
        CommandRun run = train(
                folder.resolve("runs"),
                "flink={taskmanager.memory.segment-size: 1mb}",
                "parallelism=3",
                "stages=separate",
                "transforms=[RandomInvert, RandomInvert, RandomInvert, RandomInvert, RandomInvert]");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @Test
    void missingDeviceIsRefused() throws IOException {
        train(folder.resolve("runs"), "device.kind=cuda", "device.index=1023").fails(ExitCode.FAILED, "there is no ");
    }

    private static boolean command(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
    }
}
