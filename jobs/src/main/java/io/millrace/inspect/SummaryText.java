package io.millrace.inspect;

import io.millrace.inspect.DatasetSummary.BadEntry;
import io.millrace.inspect.DatasetSummary.ClassCount;
import io.millrace.inspect.DatasetSummary.FirstSample;
import io.millrace.sample.ReasonCounts;
import io.millrace.sample.VisibleText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The text of a dataset's summary.
 *
 * <p>Tested by {@code DatasetInspectorTest}.
 */
public final class SummaryText {
    /** The maximum number of classes in the text; JSON contains all of them. */
    private static final int MOST_CLASSES = 30;

    private static final int MOST_REASONS = 10;

    private static final int MOST_INTERVALS = 5;

    private static final String[] UNITS = {"bytes", "kB", "MB", "GB", "TB", "PB"};

    private final StringBuilder text = new StringBuilder();

    private SummaryText() {}

    /**
     * Returns several lines, each with a newline at its end.
     *
     * @param title the name and the location of the dataset
     * @param verbose whether the first samples have the hashes of their pixels, and each bad sample is listed
     */
    public static String render(String title, DatasetSummary summary, boolean verbose) {
        SummaryText made = new SummaryText();
        made.line("%s", title);
        made.line("  samples      %,d", summary.size());
        Long bytes = summary.bytes();
        if (bytes != null) {
            made.line("  bytes        %s", size(bytes));
        }
        summary.remarks().forEach(remark -> made.line("  note         %s", remark));
        made.fields("as read", summary.read());
        made.fields("transformed", summary.transformed());
        made.restarts("restarts", summary.restarts());
        made.classes(summary);
        made.first(summary.first(), verbose);
        made.scan(summary);
        made.bad(summary.bad(), verbose);
        return made.text.toString();
    }

    private void fields(String when, List<FieldShape> fields) {
        String all = fields.stream().map(f -> f.name() + " " + f).collect(Collectors.joining(", "));
        line("  %-13s%s", when, all.isEmpty() ? "unknown: no good sample" : all);
    }

    /** Writes nothing for data without JPEGs. */
    private void restarts(String title, Map<Integer, Long> restarts) {
        long jpegs = restarts.values().stream().mapToLong(Long::longValue).sum();
        if (jpegs == 0) {
            return;
        }
        String intervals = restarts.entrySet().stream()
                .filter(entry -> entry.getKey() > 0)
                .map(entry -> String.format(Locale.ROOT, "%,d every %,d coded units", entry.getValue(), entry.getKey()))
                .limit(MOST_INTERVALS)
                .collect(Collectors.joining(", "));
        line(
                "  %-13s%,d of %,d JPEGs have restart markers%s",
                title, jpegs - restarts.getOrDefault(0, 0L), jpegs, intervals.isEmpty() ? "" : ": " + intervals);
    }

    private void classes(DatasetSummary summary) {
        List<ClassCount> classes = summary.classes();
        if (classes.isEmpty()) {
            line("  classes      none");
            return;
        }
        line("  classes      %,d", classes.size());
        List<ClassCount> shown = classes.subList(0, Math.min(classes.size(), MOST_CLASSES));
        int width = shown.stream().mapToInt(c -> c.name().length()).reduce("name".length(), Math::max);
        line("    label  %-" + width + "s  samples", "name");
        for (ClassCount one : shown) {
            Long count = one.count();
            line(
                    "    %5d  %-" + width + "s  %7s",
                    one.label(),
                    one.name(),
                    count == null ? "-" : String.format(Locale.ROOT, "%,d", count));
        }
        if (shown.size() < classes.size()) {
            line("    and %,d more (--json has all)", classes.size() - shown.size());
        }
        List<ClassCount> empty = summary.emptyClasses();
        if (!empty.isEmpty()) {
            line("    %,d without samples", empty.size());
        }
    }

    private void first(List<FirstSample> first, boolean verbose) {
        if (first.isEmpty()) {
            return;
        }
        line("  first samples");
        int width = first.stream().mapToInt(s -> s.key().length()).max().orElse(0);
        String key = verbose ? "%-" + Math.max(width, 3) + "s" : "%s";
        line("    index  label  " + key + "%s", "key", verbose ? "  sha256 of the decoded pixels" : "");
        for (FirstSample one : first) {
            String sha256 = one.pixelsSha256() == null ? "-" : one.pixelsSha256();
            line(
                    "    %5d  %5s  " + key + "%s%s",
                    one.index(),
                    one.label() == null ? "-" : one.label(),
                    one.key(),
                    verbose ? "  " + sha256 : "",
                    one.text() == null ? "" : "  " + one.text());
        }
    }

    private void scan(DatasetSummary summary) {
        DatasetScan scan = summary.scan();
        if (scan == null) {
            if (summary.samplesRead() < summary.size()) {
                line("  %,d of %,d samples read; --scan reads all", summary.samplesRead(), summary.size());
            }
            return;
        }
        line("  scanned      all %,d samples: %,d bad, %s as read", scan.samples(), scan.bad(), size(scan.bytes()));
        if (scan.smallest() != null) {
            line("  images       from %s to %s", scan.smallest(), scan.largest());
        }
        restarts("of all", scan.restarts());
        if (scan.labels().isEmpty()) {
            line("  labels       none");
        } else {
            line("  labels       %,d different", scan.labels().size());
        }
    }

    private void bad(List<BadEntry> bad, boolean verbose) {
        if (bad.isEmpty()) {
            return;
        }
        line("  bad samples");
        if (verbose) {
            bad.forEach(one -> line("    %5d  %s: %s", one.index(), place(one), one.reason()));
            return;
        }
        ReasonCounts counts = new ReasonCounts();
        bad.forEach(one -> counts.add(one.reason(), place(one)));
        counts.lines(MOST_REASONS).forEach(reason -> line("    %s", reason));
        if (bad.size() > 1) {
            line("    --verbose lists each of them");
        }
    }

    private static String place(BadEntry bad) {
        return bad.file() + (bad.offset() == null ? "" : " at offset " + bad.offset());
    }

    private void line(String format, @Nullable Object... values) {
        text.append(VisibleText.line(String.format(Locale.ROOT, format, values)))
                .append(System.lineSeparator());
    }

    /** Returns a number of bytes as text, in the largest unit in which the number is at least 1. */
    static String size(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1000 && unit < UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        return unit == 0 ? bytes + " bytes" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }
}
