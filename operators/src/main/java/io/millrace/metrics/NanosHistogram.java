package io.millrace.metrics;

import org.HdrHistogram.SingleWriterRecorder;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.jspecify.annotations.Nullable;

/**
 * A histogram of all durations that were recorded since it was created, to 2 significant digits.
 *
 * <p>One thread records, and any thread may read. The histogram needs about 20 kB of memory for durations of milliseconds, and
 * twice as much after the first reading.
 */
public final class NanosHistogram implements Histogram {
    /** The number of significant digits; histograms with the same number can be added up. */
    public static final int DIGITS = 2;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(DIGITS);

    /** All durations until the latest reading. Guarded by this. */
    private final org.HdrHistogram.Histogram recorded = new org.HdrHistogram.Histogram(DIGITS);

    private org.HdrHistogram.@Nullable Histogram recycled;

    @Override
    public void update(long nanos) {
        update(nanos, 1);
    }

    /** Records the same duration several times. */
    void update(long nanos, int times) {
        recorder.recordValueWithCount(Math.max(0, nanos), times);
    }

    @Override
    public long getCount() {
        return copy().getTotalCount();
    }

    @Override
    public HistogramStatistics getStatistics() {
        return new Statistics(copy());
    }

    /** Returns all durations so far, in a histogram that belongs to the caller. */
    public synchronized org.HdrHistogram.Histogram copy() {
        recycled = recorder.getIntervalHistogram(recycled);
        recorded.add(recycled);
        return recorded.copy();
    }

    /** Statistics that are NaN before the first duration; minimum and maximum, which are whole numbers, are 0 then. */
    private static final class Statistics extends HistogramStatistics {
        private final org.HdrHistogram.Histogram histogram;

        private Statistics(org.HdrHistogram.Histogram histogram) {
            this.histogram = histogram;
        }

        @Override
        public double getQuantile(double quantile) {
            return size() == 0 ? Double.NaN : histogram.getValueAtPercentile(quantile * 100);
        }

        /** Throws an exception, because the single values are not kept. */
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
