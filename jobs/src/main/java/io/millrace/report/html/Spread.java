package io.millrace.report.html;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The distribution of durations, in milliseconds.
 *
 * @param count the number of durations
 * @param p50 the median
 * @param p90 the 90th percentile
 * @param p99 the 99th percentile
 * @param max the longest duration
 * @param bins the bins from the shortest to the longest duration, each a tenth of a decade wide, empty bins included
 */
record Spread(long count, double p50, double p90, double p99, double max, List<Bin> bins) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int PER_DECADE = 10;

    /** The limit below which durations are not distinguished, because clocks are not more exact. */
    private static final long LEAST_NANOS = 1_000;

    /** The number of durations from {@code from} (inclusive) to {@code to} (exclusive). */
    record Bin(double from, double to, long count) {}

    Spread {
        bins = List.copyOf(bins);
    }

    /** Returns the distribution of a histogram of nanoseconds, which must have at least one value. */
    static Spread of(Histogram nanos) {
        long[] counts = new long[bin(nanos.getMaxValue()) + 1];
        for (HistogramIterationValue value : nanos.recordedValues()) {
            counts[Math.min(bin(value.getValueIteratedTo()), counts.length - 1)] +=
                    value.getCountAddedInThisIterationStep();
        }
        List<Bin> bins = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0 || !bins.isEmpty()) {
                bins.add(new Bin(i == 0 ? 0 : edge(i), edge(i + 1), counts[i]));
            }
        }
        return new Spread(
                nanos.getTotalCount(),
                nanos.getValueAtPercentile(50) / NANOS_PER_MILLI,
                nanos.getValueAtPercentile(90) / NANOS_PER_MILLI,
                nanos.getValueAtPercentile(99) / NANOS_PER_MILLI,
                nanos.getMaxValue() / NANOS_PER_MILLI,
                bins);
    }

    private static int bin(long nanos) {
        return nanos <= LEAST_NANOS ? 0 : (int) (PER_DECADE * Math.log10((double) nanos / LEAST_NANOS));
    }

    private static double edge(int bin) {
        return LEAST_NANOS * Math.pow(10, (double) bin / PER_DECADE) / NANOS_PER_MILLI;
    }
}
