package io.millrace.image;

/**
 * The inner loops of resampling, written in the forms that HotSpot's compiler makes fast (measured by
 * ResamplerBenchmark):
 * <ul>
 * <li>Horizontally, the loops filter two rows at once. A {@code long} has a byte of the upper row in its low half and
 *     the byte below it in its high half, so one multiplication weighs both. Sums stay below 2^31, so the halves do not
 *     mix, except for the borrow of a negative low half, which {@link #horizontal} corrects.
 * <li>Vertically, the loops run along whole rows of {@code int}, and the compiler turns them into vector instructions.
 * <li>Such vector loops cannot produce bytes. Therefore a filtered row is stored in four quarters, where quarter q
 *     holds the elements q, q + 4, q + 8 ..., and shifts join four vectors into one of packed bytes.
 * </ul>
 *
 * <p>Tested by {@code NativeKernelsTest}.
 */
final class ResampleKernel {
    private static final int BITS = ResampleTable.FRACTION_BITS;
    private static final int HALF = 1 << (BITS - 1);
    private static final long TWO_HALVES = HALF | ((long) HALF << Integer.SIZE);

    private ResampleKernel() {}

    /** Returns the index of element {@code i} of a row of {@code elements} that is stored in quarters. */
    static int place(int i, int elements) {
        return (i & 3) * quarter(elements) + (i >> 2);
    }

    /** Returns the length of a quarter. */
    static int quarter(int elements) {
        return (elements + 3) >> 2;
    }

    /** Joins {@code count} bytes of two rows. */
    static void join(byte[] pixels, int upper, int lower, int count, long[] joined) {
        for (int i = 0; i < count; i++) {
            joined[i] = (pixels[upper + i] & 255) | ((long) (pixels[lower + i] & 255) << Integer.SIZE);
        }
    }

    /** Filters two joined rows with {@code channels} bytes per pixel. Element i is written to {@code places[i]}. */
    static void horizontal(
            long[] joined, int channels, ResampleTable table, boolean clamp, int[] places, int[] upper, int[] lower) {
        if (channels == 3 && !clamp && table.taps <= 4 && table.taps > 1) {
            switch (table.taps) {
                case 2 -> horizontal2(joined, table, places, upper, lower);
                case 3 -> horizontal3(joined, table, places, upper, lower);
                default -> horizontal4(joined, table, places, upper, lower);
            }
            return;
        }
        for (int x = 0, i = 0; x < table.out; x++) {
            int first = table.start[x] * channels;
            for (int channel = 0; channel < channels; channel++, i++) {
                long sum = TWO_HALVES;
                int at = first + channel;
                for (int w = x * table.taps; w < (x + 1) * table.taps; w++, at += channels) {
                    sum += joined[at] * table.weights[w];
                }
                int low = (int) sum;
                int high = (int) ((sum - low) >> Integer.SIZE);
                upper[places[i]] = clamped(low >> BITS);
                lower[places[i]] = clamped(high >> BITS);
            }
        }
    }

    private static void horizontal2(long[] joined, ResampleTable table, int[] places, int[] upper, int[] lower) {
        int[] weights = table.weights;
        for (int x = 0, i = 0, w = 0; x < table.out; x++, i += 3, w += 2) {
            int at = table.start[x] * 3;
            long a = weights[w];
            long b = weights[w + 1];
            long red = TWO_HALVES + joined[at] * a + joined[at + 3] * b;
            long green = TWO_HALVES + joined[at + 1] * a + joined[at + 4] * b;
            long blue = TWO_HALVES + joined[at + 2] * a + joined[at + 5] * b;
            store(red, places[i], upper, lower);
            store(green, places[i + 1], upper, lower);
            store(blue, places[i + 2], upper, lower);
        }
    }

    private static void horizontal3(long[] joined, ResampleTable table, int[] places, int[] upper, int[] lower) {
        int[] weights = table.weights;
        for (int x = 0, i = 0, w = 0; x < table.out; x++, i += 3, w += 3) {
            int at = table.start[x] * 3;
            long a = weights[w];
            long b = weights[w + 1];
            long c = weights[w + 2];
            long red = TWO_HALVES + joined[at] * a + joined[at + 3] * b + joined[at + 6] * c;
            long green = TWO_HALVES + joined[at + 1] * a + joined[at + 4] * b + joined[at + 7] * c;
            long blue = TWO_HALVES + joined[at + 2] * a + joined[at + 5] * b + joined[at + 8] * c;
            store(red, places[i], upper, lower);
            store(green, places[i + 1], upper, lower);
            store(blue, places[i + 2], upper, lower);
        }
    }

    private static void horizontal4(long[] joined, ResampleTable table, int[] places, int[] upper, int[] lower) {
        int[] weights = table.weights;
        for (int x = 0, i = 0, w = 0; x < table.out; x++, i += 3, w += 4) {
            int at = table.start[x] * 3;
            long a = weights[w];
            long b = weights[w + 1];
            long c = weights[w + 2];
            long d = weights[w + 3];
            long red = TWO_HALVES + joined[at] * a + joined[at + 3] * b + joined[at + 6] * c + joined[at + 9] * d;
            long green =
                    TWO_HALVES + joined[at + 1] * a + joined[at + 4] * b + joined[at + 7] * c + joined[at + 10] * d;
            long blue = TWO_HALVES + joined[at + 2] * a + joined[at + 5] * b + joined[at + 8] * c + joined[at + 11] * d;
            store(red, places[i], upper, lower);
            store(green, places[i + 1], upper, lower);
            store(blue, places[i + 2], upper, lower);
        }
    }

    private static void store(long sum, int place, int[] upper, int[] lower) {
        upper[place] = (int) sum >>> BITS;
        lower[place] = (int) (sum >>> (BITS + Integer.SIZE));
    }

    /** Filters whole rows into {@code result}: tap t is row {@code (first + t) % rows.length}. */
    static void vertical(int[][] rows, int first, int[] weights, int at, int taps, boolean clamp, int[] result) {
        int[] a = rows[first % rows.length];
        int[] b = rows[(first + 1) % rows.length];
        int[] c = rows[(first + 2) % rows.length];
        int[] d = rows[(first + 3) % rows.length];
        if (!clamp && taps == 2) {
            vertical2(a, b, weights[at], weights[at + 1], result);
        } else if (!clamp && taps == 3) {
            vertical3(a, b, c, weights[at], weights[at + 1], weights[at + 2], result);
        } else if (!clamp && taps == 4) {
            vertical4(a, b, c, d, weights[at], weights[at + 1], weights[at + 2], weights[at + 3], result);
        } else {
            weigh(a, weights[at], result);
            for (int tap = 1; tap < taps; tap++) {
                addWeighed(rows[(first + tap) % rows.length], weights[at + tap], result);
            }
            finish(result);
        }
    }

    private static void vertical2(int[] a, int[] b, int v, int w, int[] result) {
        for (int i = 0; i < result.length; i++) {
            result[i] = (HALF + a[i] * v + b[i] * w) >>> BITS;
        }
    }

    private static void vertical3(int[] a, int[] b, int[] c, int v, int w, int x, int[] result) {
        for (int i = 0; i < result.length; i++) {
            result[i] = (HALF + a[i] * v + b[i] * w + c[i] * x) >>> BITS;
        }
    }

    private static void vertical4(int[] a, int[] b, int[] c, int[] d, int v, int w, int x, int y, int[] result) {
        for (int i = 0; i < result.length; i++) {
            result[i] = (HALF + a[i] * v + b[i] * w + c[i] * x + d[i] * y) >>> BITS;
        }
    }

    private static void weigh(int[] row, int weight, int[] sums) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] = HALF + row[i] * weight;
        }
    }

    private static void addWeighed(int[] row, int weight, int[] sums) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += row[i] * weight;
        }
    }

    private static void finish(int[] sums) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] = Math.max(Math.min(sums[i] >> BITS, 255), 0);
        }
    }

    /** Joins the four quarters of a row into bytes, four in an {@code int}, the first in the lowest byte. */
    static void pack(int[] row, int quarter, int[] packed) {
        for (int i = 0; i < quarter; i++) {
            packed[i] = row[i] | (row[quarter + i] << 8) | (row[2 * quarter + i] << 16) | (row[3 * quarter + i] << 24);
        }
    }

    private static int clamped(int value) {
        return Math.max(Math.min(value, 255), 0);
    }
}
