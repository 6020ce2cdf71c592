package io.millrace.device.bench;

import java.util.Arrays;
import java.util.function.DoubleSupplier;

/** What is measured several times. */
final class Medians {
    private Medians() {}

    /** The values, the smallest first. */
    static double[] sorted(int times, DoubleSupplier measured) {
        double[] values = new double[times];
        for (int i = 0; i < times; i++) {
            values[i] = measured.getAsDouble();
        }
        Arrays.sort(values);
        return values;
    }

    /** The one in the middle, or half-way between the two. */
    static double of(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The median of so many. */
    static double of(int times, DoubleSupplier measured) {
        return of(sorted(times, measured));
    }
}
