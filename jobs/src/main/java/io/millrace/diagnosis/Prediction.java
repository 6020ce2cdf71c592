package io.millrace.diagnosis;

import java.util.Locale;

/**
 * A predicted throughput in samples per second, with the range that the measurement allows.
 *
 * @param low the throughput under the least favourable assumptions, above 0
 * @param likely the throughput under the most likely assumptions, from {@code low} to {@code high}
 * @param high the throughput under the most favourable assumptions
 */
public record Prediction(double low, double likely, double high) {
    public Prediction {
        if (!(low > 0 && low <= likely && likely <= high)) {
            throw new IllegalArgumentException(
                    "expected 0 < low <= likely <= high, found " + low + ", " + likely + ", " + high);
        }
    }

    /** Returns the prediction with an upper bound for all three throughputs. */
    public Prediction atMost(double most) {
        return new Prediction(Math.min(low, most), Math.min(likely, most), Math.min(high, most));
    }

    /** Returns the prediction with a lower bound for all three throughputs. */
    public Prediction atLeast(double least) {
        return new Prediction(Math.max(low, least), Math.max(likely, least), Math.max(high, least));
    }

    /** Returns this prediction with a range that also includes another one's. */
    public Prediction including(Prediction other) {
        return new Prediction(Math.min(low, other.low), likely, Math.max(high, other.high));
    }

    /** Returns the prediction of something of which each sample has {@code each}, above 0. */
    public Prediction times(double each) {
        return new Prediction(low * each, likely * each, high * each);
    }

    /** Returns whether a throughput lies within the range. */
    public boolean contains(double samplesPerSecond) {
        return samplesPerSecond >= low && samplesPerSecond <= high;
    }

    /** Returns the range as text, such as "2,930 to 3,120"; one number when both ends are written alike. */
    public String text() {
        String least = number(low);
        String most = number(high);
        return least.equals(most) ? least : least + " to " + most;
    }

    /** Returns a throughput as text: with one decimal place below 100, otherwise without. */
    static String number(double samplesPerSecond) {
        return String.format(Locale.ROOT, samplesPerSecond < 100 ? "%,.1f" : "%,.0f", samplesPerSecond);
    }
}
