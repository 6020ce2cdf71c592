package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.trace.TraceRules;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceITCase {
    @TempDir
    Path folder;

    /** A delay of each sample, so that the run lasts for seconds on any machine and a part of it is recorded. */
    @Test
    void traceShowsTheWholeWayOfTheData() throws Exception {
        Path runs = folder.resolve("runs");
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs);
        CommandRun run = CommandRun.of(
                "train",
                pipeline.toString(),
                "--trace",
                "--set",
                "dataset.epochs=4", // a tenth of the time is recorded, so every task has to work often
                "--set",
                "transforms=[RandomMask: {ratio: 0.05}, Delay: {ms: 6, mode: sleep}]",
                "--set",
                "read.range=8", // and for the same reason the reader works often
                "--set",
                "flink.taskmanager.memory.segment-size=4kb", // a buffer of 32 kB lets it work four times a second only
                "--set",
                "stages=separate",
                "--set",
                "checkpoint.interval=300ms",
                "--set",
                "evaluate={dataset: {format: idx, path: " + digits + ", split: test}}");
        assertThat(run.exitCode()).as("%s", run).isZero();

        Path trace = CommandRun.folder(runs).resolve("trace.json");
        assertThat(run.out()).contains("trace   " + trace);
        assertThat(TraceRules.check(Files.readAllBytes(trace)))
                .contains("read", "RandomMask", "Delay", "pack", "pass on", "network", "assemble", "wait for a batch")
                .contains("transfer", "step", "forward", "backward", "optimizer")
                .contains(
                        "checkpoint: finish complete batches",
                        "checkpoint: take the state",
                        "checkpoint: copy the state");
        assertThat(CommandRun.folder(runs).resolve("trace")).doesNotExist();
    }
}
