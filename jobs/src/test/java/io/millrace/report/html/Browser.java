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
import java.util.stream.Stream;

/** A real browser without a window: {@code apt-get install chromium}. */
public final class Browser {
    /** The time limit: a browser on a loaded machine takes seconds, and one that hangs never ends. */
    private static final int MOST_SECONDS = 300;

    private Browser() {}

    /** Returns the path of the browser; empty when none is installed. */
    public static Optional<Path> program() {
        return Arrays.stream(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1))
                .flatMap(entry -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(entry, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Returns a page after its scripts have run. If no browser is installed, the calling test is skipped.
     *
     * @param folder the folder for the browser's own files
     */
    public static String drawn(Path page, Path folder) throws IOException, InterruptedException {
        Optional<Path> browser = program();
        assumeThat(browser).as("a Chromium on the PATH").isPresent();
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
}
