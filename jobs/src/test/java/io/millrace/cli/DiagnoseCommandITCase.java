package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.config.ConfigReader;
import io.millrace.diagnosis.TrialPipelines;
import io.millrace.report.html.Browser;
import io.millrace.run.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("measurements")
class DiagnoseCommandITCase {
    @TempDir
    Path folder;

    @Test
    void limitIsNamedAndTheRecommendedChangesHelp() throws Exception {
        Path file = TrialPipelines.file(folder);

        CommandRun run = CommandRun.of(
                "diagnose",
                file.toString(),
                "--json",
                "--verify",
                "--samples",
                "32",
                "--spread",
                "20%",
                // In 3 s, the sleeping stage fills 37 batches of 4, so that a batch more or less is no contradiction.
                "--most",
                "3s",
                "--set",
                "batch.size=4");

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode json = run.json();
        assertThat(json.path("verdict").path("limit").asText()).as(run.err()).isEqualTo("Delay");
        assertThat(json.path("ladder"))
                .extracting(rung -> rung.path("cache").asText())
                .containsExactly("device", "host", "packed", "after Delay", "after RandomMask", "raw", "nothing");
        assertThat(json.path("ceiling_images_per_s").asDouble()).isPositive();
        JsonNode best = json.path("advice").path(0);
        assertThat(best.path("change").asText()).as(run.err()).startsWith("--set parallelism=");
        double before = json.path("images_per_s").asDouble();
        assertThat(best.path("predicted_images_per_s").asDouble()).isGreaterThan(1.5 * before);
        assertThat(json.path("achieved_images_per_s").asDouble()).as(run.err()).isGreaterThan(1.2 * before);
        Path improved = folder.resolve("trial.improved.yaml");
        assertThat(json.path("improved").asText()).isEqualTo(improved.toString());
        assertThat(Files.readString(improved)).contains("# a pipeline with a known limit", "parallelism: ");
        assertThat(ConfigReader.read(improved, List.of()).slots().parallelism()).isGreaterThan(1);
        assertThat(run.err())
                .contains("predicted", "Delay costs the most time", "\nverdict ", "report  " + report(run))
                .contains(json.at("/verdict/sentence").asText())
                .doesNotContain("; ceiling ", "spread");
        String page = Files.readString(report(run));
        assertThat(page)
                .contains("Delay costs the most time", "<tr class=\"mark\"><td>after RandomMask</td>")
                .contains("achieved, images/s", improved.toString());
        assumeThat(Browser.program()).as("a Chromium on the PATH").isPresent();
        String drawn = Browser.drawn(report(run), folder);
        assertThat(drawn).containsPattern(Pattern.compile("id=\"chart-ladder\"[^>]*>.{0,400}<svg", Pattern.DOTALL));
        String ladder = drawn.substring(drawn.indexOf("id=\"chart-ladder\""));
        ladder = ladder.substring(0, ladder.indexOf("</svg>"));
        assertThat(ladder)
                .contains("images/s", "measured, where most time comes in")
                .contains(json.path("ladder").findValuesAsText("cache").toArray(String[]::new));
    }

    private static Path report(CommandRun run) {
        return Path.of(run.json().path("report").asText());
    }

    @Test
    void badLimitsOfMeasurementsAreRefusedBeforeAnythingRuns() throws Exception {
        String file = TrialPipelines.file(folder).toString();

        CommandRun.of("diagnose", file, "--most", "soon").fails(ExitCode.USAGE, "--most", "soon");
        CommandRun.of("diagnose", file, "--spread", "0").fails(ExitCode.USAGE, "spread");
        CommandRun.of("diagnose", file, "--samples", "0").fails(ExitCode.USAGE, "--samples");
        CommandRun.of("diagnose", "--job", "photos", "--cluster", "here:1", "--seconds", "1")
                .fails(ExitCode.USAGE, "--seconds: expected at least 3", "found 1.0");
        CommandRun.of("diagnose", "--selftest", "--verbose")
                .fails(ExitCode.USAGE, "--verbose is for the diagnosis of a pipeline or a job, not for --selftest");
        CommandRun.of("diagnose").fails(ExitCode.USAGE, "pipeline file", "--job");
        CommandRun.of("diagnose", "--job", "photos").fails(ExitCode.USAGE, "--cluster");
        CommandRun.of("diagnose", file, "--set", "ranks=2").fails(ExitCode.USAGE, "ranks");
    }
}
