package io.millrace.metrics;

import org.jspecify.annotations.Nullable;

/**
 * A number that summarizes a figure over all slots of its stage.
 *
 * @param metric the name of the figure's metric
 * @param unit the unit of the figure
 * @param part the number of each slot that is summarized
 * @param overSlots the way in which the numbers of the slots are combined
 * @param key the key in {@code summary.json}, among the values of a stage; null when the file does not contain it
 * @param column the column in tables of stages; null when the tables do not contain the statistic
 */
public record Statistic(
        String metric,
        Unit unit,
        Part part,
        OverSlots overSlots,
        @Nullable String key,
        @Nullable Column column) {
    /** The unit of a figure. */
    public enum Unit {
        COUNT("count"),
        BYTES("bytes"),
        NANOSECONDS("nanoseconds"),
        PER_SECOND("per second"),
        CORES("cores"),
        GIGABYTES_PER_SECOND("10⁹ bytes per second"),
        SHARE("share, 0 to 1"),
        WATTS("watts"),
        NUMBER("number");

        private final String label;

        Unit(String label) {
            this.label = label;
        }

        /** Returns the unit's name for readers. */
        @Override
        public String toString() {
            return label;
        }
    }

    /** The way in which the numbers of several slots are combined. */
    public enum OverSlots {
        SUM("sum"),
        MEAN("avg"),
        LEAST("min"),
        GREATEST("max");

        private final String flinkKey;

        OverSlots(String flinkKey) {
            this.flinkKey = flinkKey;
        }

        /** Returns the key of this aggregation in an answer of Flink's REST interface. */
        public String flinkKey() {
            return flinkKey;
        }
    }

    /** The number of a slot that is summarized: the value of a gauge, or a quantile of a histogram. */
    public enum Part {
        VALUE("", Double.NaN),
        MEDIAN("_median", 0.5),
        P99("_p99", 0.99),
        MAX("_max", 1);

        private final String suffix;
        private final double quantile;

        Part(String suffix, double quantile) {
            this.suffix = suffix;
            this.quantile = quantile;
        }

        /** Returns the suffix that Flink appends to the metric's name for this number. */
        public String suffix() {
            return suffix;
        }

        /** Returns the share of the recorded values that do not exceed this number, 0 to 1; NaN for a gauge. */
        public double quantile() {
            return quantile;
        }
    }

    /**
     * A column in tables of stages.
     *
     * @param heading its heading
     * @param rank 0 for a column that the terminal always shows; columns with a higher rank are left out earlier when the
     *     terminal is narrow. {@link #REPORT_ONLY} for a column that only the report shows
     */
    public record Column(String heading, int rank) {
        /** The rank of columns that only the report shows. */
        public static final int REPORT_ONLY = Integer.MAX_VALUE;
    }

    /** Returns the last part of the metric's id in Flink. */
    public String metricId() {
        return metric + part.suffix();
    }

    /** Returns the metric and the way in which its slots are combined, for example "ownNanosPerRecord_p99 (MEAN)". */
    @Override
    public String toString() {
        return metricId() + " (" + overSlots + ")";
    }
}
