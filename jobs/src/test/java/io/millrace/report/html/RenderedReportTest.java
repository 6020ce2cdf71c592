package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens reports in a real browser; skipped when none is installed. */
class RenderedReportTest {
    @TempDir
    Path folder;

    @Test
    void chartsAreDrawnAndNamesOfDataRunNoScript() throws Exception {
        String drawn = drawn(ReportPage.render(ReportFixtures.full()));
        assertThat(drawn).satisfies(page -> areDrawn(page, List.of("course", "loss", "accuracy", "stages", "times")));
        assertThat(drawn.split("<path ", -1).length).as("lines, bars and axes").isGreaterThan(100);
        assertThat(drawn).contains("seconds of training", "milliseconds (logarithmic)");
        assertThat(drawn).doesNotContain("<title>broken</title>").contains("a&lt;/script&gt;");
    }

    @Test
    void ladderIsDrawnWithARungThatWasNotMeasured() throws Exception {
        String drawn = drawn(DiagnosisPage.render(ReportFixtures.diagnosis()));
        areDrawn(drawn, List.of("ladder", "costs"));
        assertThat(drawn)
                .contains("device (not measured)", "9,000", "measured, where most time comes in")
                .contains("explained by the stages' own times", "milliseconds for each sample")
                .doesNotContain("<title>broken</title>");
    }

    @Test
    void reportWithoutMeasurementsIsStillAPage() throws Exception {
        String drawn = drawn(ReportPage.render(ReportFixtures.empty()));
        assertThat(drawn).contains("limit unknown").doesNotContain("<svg ");
    }

    private static void areDrawn(String page, List<String> charts) {
        for (String chart : charts) {
            assertThat(page)
                    .containsPattern(Pattern.compile("id=\"chart-" + chart + "\"[^>]*>.{0,400}<svg", Pattern.DOTALL));
        }
        assertThat(page.split("<svg ", -1)).hasSize(1 + charts.size());
    }

    private String drawn(String page) throws Exception {
        return Browser.drawn(Files.writeString(folder.resolve("report.html"), page), folder);
    }
}
