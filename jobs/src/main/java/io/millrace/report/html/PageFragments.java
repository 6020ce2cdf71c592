package io.millrace.report.html;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The parts of a report that are the same for every run, which are resources of the program. */
final class PageFragments {
    /** The build of ECharts with bars, lines and axes; the whole library with maps and 3D is twice as large. */
    private static final String ECHARTS = "/META-INF/resources/webjars/echarts/5.3.1/dist/echarts.common.min.js";

    private PageFragments() {}

    /** Returns the page with placeholders for its content. */
    static String frame() {
        return read("page.html");
    }

    static String style() {
        return read("page.css");
    }

    /** Returns the script that draws the charts. */
    static String script() {
        return read("charts.js");
    }

    /** Returns the charting library. */
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
