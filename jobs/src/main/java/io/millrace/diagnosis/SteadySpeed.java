package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A detector for the moment at which a throughput has become steady. It compares the rates of time intervals of equal
 * length. A run gets faster for some seconds, because the JVM compiles the busy code, and other programs on the machine
 * disturb it; therefore only the latest intervals count. Not thread-safe.
 */
public final class SteadySpeed {
    /** The number of consecutive intervals that must agree. */
    static final int INTERVALS = 6;

    /** The factor between the rates of two halves of the latest intervals from which on the throughput rises. */
    private static final double RISE = 1.05;

    private final double intervalSeconds;
    private final List<Double> rates = new ArrayList<>();
    private double startSeconds = Double.NaN;
    private long startSamples;

    /**
     * Creates a detector without readings.
     *
     * @param intervalSeconds the least length of an interval, above 0
     */
    public SteadySpeed(double intervalSeconds) {
        if (!(intervalSeconds > 0)) {
            throw new IllegalArgumentException("interval: expected more than 0 s, found " + intervalSeconds);
        }
        this.intervalSeconds = intervalSeconds;
    }

    /**
     * Adds a reading. Readings come in the order of time.
     *
     * @param seconds the time of the reading
     * @param samples the number of samples trained on until then
     */
    public void add(double seconds, long samples) {
        if (Double.isNaN(startSeconds) || samples < startSamples) {
            startSeconds = seconds;
            startSamples = samples;
        } else if (seconds - startSeconds >= intervalSeconds) {
            rates.add((samples - startSamples) / (seconds - startSeconds));
            startSeconds = seconds;
            startSamples = samples;
        }
    }

    /** Returns the median rate of the latest intervals, in samples per second; empty before the first one has ended. */
    public OptionalDouble samplesPerSecond() {
        List<Double> sorted = latest();
        return sorted.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(quantile(sorted, 0.5));
    }

    /**
     * Returns half of the interquartile range of the rates of the latest intervals, divided by their median; empty while there
     * are too few intervals.
     */
    public OptionalDouble spread() {
        List<Double> sorted = latest();
        double median = sorted.isEmpty() ? 0 : quantile(sorted, 0.5);
        return sorted.size() < INTERVALS || median <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / median);
    }

    /**
     * Returns whether the throughput still rises: whether each of the latest three intervals was faster by 5 % than each of the
     * three before them. Processes that start one after another cause this for longer than the JVM warms up.
     */
    public boolean rises() {
        int end = rates.size();
        int half = INTERVALS / 2;
        return end >= INTERVALS
                && Collections.min(rates.subList(end - half, end))
                        > RISE * Collections.max(rates.subList(end - INTERVALS, end - half));
    }

    /** Returns the number of intervals that have ended. */
    int intervals() {
        return rates.size();
    }

    private List<Double> latest() {
        return rates.subList(Math.max(0, rates.size() - INTERVALS), rates.size()).stream()
                .sorted()
                .toList();
    }

    private static double quantile(List<Double> sorted, double share) {
        double at = share * (sorted.size() - 1);
        int below = (int) at;
        int above = Math.min(sorted.size() - 1, below + 1);
        return sorted.get(below) + (at - below) * (sorted.get(above) - sorted.get(below));
    }
}
