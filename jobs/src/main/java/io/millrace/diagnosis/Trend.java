package io.millrace.diagnosis;

/**
 * The trend of a growing count: the straight line through its readings by least squares. Samples may arrive in bursts, for example one
 * range of a slow reader after another. Then the rate between two readings counts up to one burst too many or too few, and the slope of
 * the line hardly does. Pure.
 *
 * @param slope the change of the count per unit of time
 */
record Trend(double slope) {
    /** The part of the readings at each end in which {@link #ends} looks. */
    private static final int END = 4;

    /**
     * Returns the trend of readings; all zero when they have one time.
     *
     * @param times the times, at least one
     * @param counts the counts, as many as times
     */
    static Trend of(double[] times, double[] counts) {
        double time = mean(times);
        double count = mean(counts);
        double product = 0;
        double square = 0;
        for (int i = 0; i < times.length; i++) {
            product += (times[i] - time) * (counts[i] - count);
            square += (times[i] - time) * (times[i] - time);
        }
        return new Trend(square == 0 ? 0 : product / square);
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    /**
     * Returns the indices of two readings, one in the first quarter and one in the last quarter, between which the rate is nearest to
     * the slope; the first and the last index when there are fewer than eight readings. The widest of equal pairs is chosen.
     */
    int[] ends(double[] times, double[] counts) {
        int last = times.length - 1;
        int[] best = {0, last};
        int part = times.length / END;
        double least = Double.MAX_VALUE;
        for (int from = 0; part > 1 && from < part; from++) {
            for (int to = last; to > last - part; to--) {
                double difference = Math.abs((counts[to] - counts[from]) / (times[to] - times[from]) - slope);
                if (difference < least) {
                    least = difference;
                    best = new int[] {from, to};
                }
            }
        }
        return best;
    }
}
