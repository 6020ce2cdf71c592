package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens reports in a real browser, where there is one: {@code apt-get install chromium}. */
class RenderedReportTest {
    /** A browser on a loaded machine takes seconds; one that hangs never ends. */
    private static final int MOST_SECONDS = 180;

    @TempDir
    Path folder;

    @Test
    void chartsAreDrawnAndNamesOfDataRunNothing() throws Exception {
        String drawn = drawn(Stories.full());
        for (String chart : List.of("ladder", "course", "loss", "stages", "times")) {
            assertThat(drawn)
                    .containsPattern(Pattern.compile("id=\"chart-" + chart + "\"[^>]*>.{0,400}<svg", Pattern.DOTALL));
        }
        assertThat(drawn.split("<svg ", -1)).hasSize(1 + 5);
        assertThat(drawn.split("<path ", -1).length).as("lines, bars and axes").isGreaterThan(100);
        assertThat(drawn).contains("9,000", "on the device", "seconds of training", "milliseconds (logarithmic)");
        assertThat(drawn).doesNotContain("<title>broken</title>").contains("a&lt;/script&gt;");
    }

    @Test
    void reportOfNothingIsStillAPage() throws Exception {
        String drawn = drawn(Stories.empty());
        assertThat(drawn).contains("limit unknown").doesNotContain("<svg ");
    }

    private String drawn(RunStory story) throws IOException, InterruptedException {
        Optional<Path> browser = browser();
        assumeThat(browser).as("a Chromium on the PATH").isPresent();
        Path page = folder.resolve("report.html");
        Files.writeString(page, ReportPage.render(story));
        Path dom = folder.resolve("dom.html");
        Path log = folder.resolve("browser.log");
        List<String> command = new ArrayList<>(List.of(browser.orElseThrow().toString()));
        command.addAll(List.of(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=1200,3000",
                "--dump-dom",
                page.toUri().toString()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(dom.toFile())
                .redirectError(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS))
                    .as("the browser ends")
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        return Files.readString(dom);
    }

    private static Optional<Path> browser() {
        return Arrays.stream(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1))
                .flatMap(entry -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(entry, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
