package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.report.DeviceUseSummary;
import io.millrace.report.RunReports;
import io.millrace.report.RunResult;
import io.millrace.report.RunSummary;
import io.millrace.report.VerdictSummary;
import io.millrace.run.RunSummaryPrinter.Detail;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.TrainReports;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunSummaryPrinterTest {
    private static final VerdictSummary VERDICT = new VerdictSummary(
            "decode",
            null,
            "slots",
            52_310.0,
            53_000.0,
            52_500.0,
            53_500.0,
            "train",
            54_000.0,
            "high",
            "both agree",
            "limited by decode: 54,545 images/s, about 55,000 without this limit",
            "limited by decode: 52,310 images/s; fixed 52,500 to 53,500, then train",
            List.of(),
            null);

    private static String printed(RunSummary.Status status, @Nullable TrainReports reports, Detail detail) {
        return printed(status, reports, detail, null, Optional.empty());
    }

    private static String printed(
            RunSummary.Status status,
            @Nullable TrainReports reports,
            Detail detail,
            @Nullable DeviceUseSummary device,
            Optional<String> shownDevice) {
        RunSummary summary = RunResult.summarize(
                "digits",
                status,
                null,
                new RunSummary.Setup("host", 2, null, device, SampleUnit.IMAGES, List.of()),
                100_000,
                109_100,
                reports,
                List.of(),
                RunReports.SENT,
                VERDICT);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RunSummaryPrinter.end(new PrintStream(bytes, true, StandardCharsets.UTF_8), summary, detail, shownDevice);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static TrainReports finished() {
        return new TrainReports(List.of(new TrainReports.Ranked(0, RunReports.FINISHED)));
    }

    @Test
    void endOfARunIsTheVerdictAndTheResults() {
        assertThat(printed(RunSummary.Status.FINISHED, finished(), Detail.SHORT).lines())
                .containsExactly(
                        "verdict limited by decode: 54,545 images/s, about 55,000 without this limit",
                        "finished 180,000 samples in 2,814 steps, 9.1 s",
                        "val loss 0.0420, accuracy 98.70 %, 2 bad samples (quarantine.jsonl)");
    }

    @Test
    void verboseEndHasTheStagesAndAllFigures() {
        assertThat(printed(RunSummary.Status.INTERRUPTED, finished(), Detail.VERBOSE)
                        .lines())
                .anyMatch(line -> line.startsWith("  stage     slots"))
                .anyMatch(line -> line.startsWith("  train         1  180,000"))
                .contains(
                        "limited by decode: 52,310 images/s; fixed 52,500 to 53,500, then train",
                        "interrupted 180,000 samples in 2,814 steps, 9.1 s",
                        "val loss 0.0420, accuracy 98.70 %, starved 7 % of the time, 2,352 bytes saved for each sample,"
                                + " 2 bad samples in 6 rows (quarantine.jsonl)");
    }

    @Test
    void deviceIsPrintedUnlessItWasShownWhileTheJobRan() {
        DeviceUseSummary host = new DeviceUseSummary(
                "the host's memory, not a GPU: no driver. Install one",
                null,
                null,
                0,
                0,
                0,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of());
        String line = "device  the host's memory, not a GPU: no driver";
        assertThat(printed(RunSummary.Status.FAILED, null, Detail.SHORT, host, Optional.empty()))
                .contains(line);
        assertThat(printed(RunSummary.Status.FAILED, null, Detail.SHORT, host, Optional.of("cuda:0 (NVIDIA H200)")))
                .contains(line);
        assertThat(printed(RunSummary.Status.FAILED, null, Detail.SHORT, host, Optional.of(host.inShort())))
                .doesNotContain("device");
    }

    @Test
    void runWithoutAnyReportHasNoResults() {
        assertThat(printed(RunSummary.Status.FAILED, null, Detail.SHORT))
                .endsWith("failed after 0 samples in 0 steps, 9.1 s\n");
    }
}
