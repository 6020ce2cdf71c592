package io.millrace.report.html;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The parts of a report that are the same for every run, as the program carries them. */
final class PageFragments {
    /** Bars, lines and axes; the whole library has maps and 3D besides, and is twice as long. */
    private static final String ECHARTS = "/META-INF/resources/webjars/echarts/5.3.1/dist/echarts.common.min.js";

    private PageFragments() {}

    /** The page, with places for the rest. */
    static String frame() {
        return read("page.html");
    }

    static String style() {
        return read("page.css");
    }

    /** Draws the charts. */
    static String script() {
        return read("charts.js");
    }

    /** The library that draws them. */
    static String charting() {
        return read(ECHARTS);
    }

    private static String read(String resource) {
        try (InputStream in = PageFragments.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
