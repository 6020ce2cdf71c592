package io.millrace.metrics;

import org.HdrHistogram.SingleWriterRecorder;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.jspecify.annotations.Nullable;

/**
 * How durations are spread, of all that were recorded since it was made, to 2 significant digits.
 *
 * <p>One thread records, any may ask. Takes some 20 kB for durations of milliseconds, and as much again once asked.
 */
public final class NanosHistogram implements Histogram {
    /** Significant digits that are kept; histograms of one precision can be added up. */
    public static final int DIGITS = 2;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(DIGITS);

    /** Guarded by this: what was recorded until it was last asked for. */
    private final org.HdrHistogram.Histogram recorded = new org.HdrHistogram.Histogram(DIGITS);

    private org.HdrHistogram.@Nullable Histogram recycled;

    @Override
    public void update(long nanos) {
        recorder.recordValue(Math.max(0, nanos));
    }

    /** Records one duration so many times. */
    public void update(long nanos, long times) {
        if (times > 0) {
            recorder.recordValueWithCount(Math.max(0, nanos), times);
        }
    }

    @Override
    public long getCount() {
        return copy().getTotalCount();
    }

    @Override
    public HistogramStatistics getStatistics() {
        return new Statistics(copy());
    }

    /** All that was recorded until now; the caller's own. */
    public synchronized org.HdrHistogram.Histogram copy() {
        recycled = recorder.getIntervalHistogram(recycled);
        recorded.add(recycled);
        return recorded.copy();
    }

    /** What there is none of yet is not a number; the least and the greatest, which are whole, are 0 then. */
    private static final class Statistics extends HistogramStatistics {
        private final org.HdrHistogram.Histogram histogram;

        private Statistics(org.HdrHistogram.Histogram histogram) {
            this.histogram = histogram;
        }

        @Override
        public double getQuantile(double quantile) {
            return size() == 0 ? Double.NaN : histogram.getValueAtPercentile(quantile * 100);
        }

        /** The single values are not kept. */
        @Override
        public long[] getValues() {
            throw new UnsupportedOperationException("a histogram of durations keeps counts, not the values");
        }

        @Override
        public int size() {
            return (int) Math.min(Integer.MAX_VALUE, histogram.getTotalCount());
        }

        @Override
        public double getMean() {
            return size() == 0 ? Double.NaN : histogram.getMean();
        }

        @Override
        public double getStdDev() {
            return size() == 0 ? Double.NaN : histogram.getStdDeviation();
        }

        @Override
        public long getMax() {
            return histogram.getMaxValue();
        }

        @Override
        public long getMin() {
            return size() == 0 ? 0 : histogram.getMinValue();
        }
    }
}
