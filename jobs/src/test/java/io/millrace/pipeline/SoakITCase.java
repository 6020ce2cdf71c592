package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.Footprint;
import io.millrace.run.ExitCode;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakITCase {
    /** Enough samples for some seconds on a fast machine, so that failures can occur. */
    private static final long SAMPLES = 8_000_000;

    private static final int FAILURES = 4;

    /**
     * The allowed growth of the number of metrics. A task that was not released would add more; the first range of a
     * reader adds seven.
     */
    private static final int OF_A_TASK = 100;

    @TempDir
    Path folder;

    @Test
    void nothingIsLostAndNothingGrowsThroughFailures() throws Exception {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Soak.Outcome outcome = new Soak(folder, SAMPLES, Duration.ofMillis(600), nowhere).run("300ms", FAILURES);

        assertThat(outcome.run().exitCode()).as(outcome.run().err()).isEqualTo(ExitCode.OK);
        assertThat(outcome.failures()).isPositive();
        assertThat(outcome.run().json().path("restarts").asInt())
                .as("the last failure may have hit a slot that had finished")
                .isGreaterThanOrEqualTo(outcome.failures() - 1);
        assertThat(outcome.run().json().path("samples").asLong()).isEqualTo(SAMPLES);
        List<Long> steps = Files.readAllLines(
                        CommandRun.folder(folder.resolve("runs")).resolve("steps.csv"))
                .stream()
                .skip(1)
                .map(line -> Long.valueOf(line.substring(0, line.indexOf(','))))
                .toList();
        assertThat(steps)
                .containsExactlyElementsOf(
                        LongStream.range(0, (SAMPLES + 1023) / 1024).boxed().toList());

        Footprint first = outcome.footprints().get(0);
        Footprint last = outcome.footprints().get(outcome.footprints().size() - 1);
        assertThat(last.metrics()).isLessThan(first.metrics() + OF_A_TASK);
        assertThat(last.threads()).isLessThan(first.threads() + 20);
        assertThat(last.files()).isLessThan(first.files() + 20);
    }
}
