package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Finds out when a speed has become steady. Readings come in order of time; the rates of stretches of equal length are
 * compared. A run gets faster for some seconds, as the JVM compiles what is busy, and is disturbed by whatever else the
 * machine does: what counts is the latest stretches alone. Not thread-safe.
 */
public final class SteadySpeed {
    /** So many stretches in a row have to agree. */
    private static final int STRETCHES = 6;

    private final double stretchSeconds;
    private final List<Double> rates = new ArrayList<>();
    private double beganSeconds = Double.NaN;
    private long beganSamples;

    /**
     * Nothing seen yet.
     *
     * @param stretchSeconds the least length of a stretch
     */
    public SteadySpeed(double stretchSeconds) {
        if (!(stretchSeconds > 0)) {
            throw new IllegalArgumentException("stretch: expected more than 0 s, found " + stretchSeconds);
        }
        this.stretchSeconds = stretchSeconds;
    }

    /** So many samples had been trained on at that time. */
    public void add(double seconds, long samples) {
        if (Double.isNaN(beganSeconds) || samples < beganSamples) {
            beganSeconds = seconds;
            beganSamples = samples;
        } else if (seconds - beganSeconds >= stretchSeconds) {
            rates.add((samples - beganSamples) / (seconds - beganSeconds));
            beganSeconds = seconds;
            beganSamples = samples;
        }
    }

    /** The median of the latest stretches, in samples per second; empty before the first has ended. */
    public OptionalDouble samplesPerSecond() {
        List<Double> sorted = latest();
        return sorted.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(quantile(sorted, 0.5));
    }

    /**
     * Half of the distance between the quartiles of the latest stretches, as a share of their median; empty before there
     * are enough of them.
     */
    public OptionalDouble spread() {
        List<Double> sorted = latest();
        double median = sorted.isEmpty() ? 0 : quantile(sorted, 0.5);
        return sorted.size() < STRETCHES || median <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / median);
    }

    /** How many stretches have ended. */
    int stretches() {
        return rates.size();
    }

    private List<Double> latest() {
        return rates.subList(Math.max(0, rates.size() - STRETCHES), rates.size()).stream()
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
