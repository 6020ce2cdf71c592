package io.millrace.cli;

import io.millrace.device.bench.BenchResult;
import io.millrace.device.bench.BenchRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The measurements of a device, as a table for people and as JSON for scripts. Pure. */
final class BenchText {
    private static final double BYTES_PER_KIB = 1024;
    private static final double PERCENT = 100;

    private BenchText() {}

    /** Returns the lines of the table. */
    static List<String> lines(BenchResult result) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: peak %.2f GB/s from page-locked memory; steps of %.2f ms on batches of %,d bytes",
                result.device(),
                result.peakGigabytesPerSecond(),
                result.stepMillis(),
                result.batchBytes()));
        lines.add(
                line("memory", "mode", "in flight", "micro-batch", "GB/s", "spread", "of peak", "in steps", "overlap"));
        for (BenchRow row : result.rows()) {
            lines.add(line(
                    word(row.memory()),
                    word(row.mode()),
                    String.valueOf(row.inFlight()),
                    size(row.microBatchBytes()),
                    String.format(Locale.ROOT, "%.2f", row.gigabytesPerSecond()),
                    percent(row.spread()),
                    percent(row.shareOfPeak()),
                    String.format(Locale.ROOT, "%.2f", row.gigabytesPerSecondInSteps()),
                    percent(row.overlap())));
        }
        return lines;
    }

    private static String line(String... cells) {
        return String.format(Locale.ROOT, "%-9s %-12s %9s %12s %8s %7s %8s %8s %8s", (Object[]) cells);
    }

    private static String size(int bytes) {
        double kib = bytes / BYTES_PER_KIB;
        return kib < BYTES_PER_KIB
                ? String.format(Locale.ROOT, "%,.0f KiB", kib)
                : String.format(Locale.ROOT, "%,.0f MiB", kib / BYTES_PER_KIB);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", PERCENT * share);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the measurements as JSON. The names are fixed, because scripts rely on them. */
    static Map<String, Object> json(BenchResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("device", result.device());
        json.put("peak_gb_per_s", result.peakGigabytesPerSecond());
        json.put("step_ms", result.stepMillis());
        json.put("batch_bytes", result.batchBytes());
        json.put("rows", result.rows().stream().map(BenchText::json).toList());
        return json;
    }

    private static Map<String, Object> json(BenchRow row) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("memory", word(row.memory()));
        json.put("mode", word(row.mode()));
        json.put("in_flight", row.inFlight());
        json.put("micro_batch_bytes", row.microBatchBytes());
        json.put("gb_per_s", row.gigabytesPerSecond());
        json.put("spread", row.spread());
        json.put("share_of_peak", row.shareOfPeak());
        json.put("gb_per_s_in_steps", row.gigabytesPerSecondInSteps());
        json.put("overlap", row.overlap());
        return json;
    }
}
