package io.millrace.device.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/** Medians of repeated measurements. Stateless. */
final class Medians {
    private Medians() {}

    /** Measures several times, and returns the values in ascending order. */
    static double[] sorted(int times, DoubleSupplier measured) {
        double[] values = new double[times];
        for (int i = 0; i < times; i++) {
            values[i] = measured.getAsDouble();
        }
        Arrays.sort(values);
        return values;
    }

    /** Returns the median: the value in the middle, or the mean of the two in the middle. */
    static double of(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the median of a value of repeated measurements. */
    static <T> double of(List<T> measured, ToDoubleFunction<T> value) {
        return of(measured.stream().mapToDouble(value).sorted().toArray());
    }

    /** Returns the median of repeated measurements. */
    static double of(int times, DoubleSupplier measured) {
        return of(sorted(times, measured));
    }
}
