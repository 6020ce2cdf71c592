package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The weighted sums of a resize, {@link #LANES} at a time. Three rules make this fast on Java 17:
 * <ul>
 * <li>Numbers are broadcast before they are added or multiplied, because operations with an {@code int} operand are not
 *     compiled to vector instructions.
 * <li>Sums begin with a broadcast and not with a constant vector, which would put every sum on the heap.
 * <li>Each loop is a {@link VectorStep}.
 * </ul>
 */
final class VectorFilters {
    private static final VectorSpecies<Integer> INTS =
            IntVector.SPECIES_PREFERRED.length() >= 16 ? IntVector.SPECIES_512 : IntVector.SPECIES_256;

    /** The sums in one vector. */
    static final int LANES = INTS.length();

    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(LANES * Byte.SIZE));

    private static final int BITS = ResampleTable.FRACTION_BITS;
    private static final int HALF = 1 << (BITS - 1);

    private VectorFilters() {}

    /**
     * Returns a step that filters along rows, which are stored as columns of {@link #LANES} bytes.
     *
     * @param columns {@code table.in * channels} columns
     * @param places the beginnings of the columns that are read and written
     * @param channels the bytes of a pixel
     * @param table the weights
     * @param clamp whether sums may leave 0 to 255
     * @param narrowed receives {@code table.out * channels} columns
     */
    static VectorStep across(
            byte[] columns, int[] places, int channels, ResampleTable table, boolean clamp, byte[] narrowed) {
        return switch (clamp ? 0 : table.taps) {
            case 2 -> row -> across2(columns, places, channels, table, narrowed);
            case 3 -> row -> across3(columns, places, channels, table, narrowed);
            case 4 -> row -> across4(columns, places, channels, table, narrowed);
            default -> row -> acrossAny(columns, places, channels, table, narrowed);
        };
    }

    private static void across2(byte[] columns, int[] places, int channels, ResampleTable table, byte[] narrowed) {
        IntVector half = broadcast(HALF);
        for (int x = 0, to = 0, w = 0; x < table.out; x++, w += 2) {
            IntVector v0 = broadcast(table.weights[w]);
            IntVector v1 = broadcast(table.weights[w + 1]);
            int at = table.start[x] * channels;
            for (int end = at + channels; at < end; at++, to++) {
                IntVector sum = load(columns, places[at]).mul(v0).add(half);
                sum = sum.add(load(columns, places[at + channels]).mul(v1));
                store(shifted(sum), narrowed, places[to]);
            }
        }
    }

    private static void across3(byte[] columns, int[] places, int channels, ResampleTable table, byte[] narrowed) {
        IntVector half = broadcast(HALF);
        for (int x = 0, to = 0, w = 0; x < table.out; x++, w += 3) {
            IntVector v0 = broadcast(table.weights[w]);
            IntVector v1 = broadcast(table.weights[w + 1]);
            IntVector v2 = broadcast(table.weights[w + 2]);
            int at = table.start[x] * channels;
            for (int end = at + channels; at < end; at++, to++) {
                IntVector sum = load(columns, places[at]).mul(v0).add(half);
                sum = sum.add(load(columns, places[at + channels]).mul(v1));
                sum = sum.add(load(columns, places[at + 2 * channels]).mul(v2));
                store(shifted(sum), narrowed, places[to]);
            }
        }
    }

    private static void across4(byte[] columns, int[] places, int channels, ResampleTable table, byte[] narrowed) {
        IntVector half = broadcast(HALF);
        for (int x = 0, to = 0, w = 0; x < table.out; x++, w += 4) {
            IntVector v0 = broadcast(table.weights[w]);
            IntVector v1 = broadcast(table.weights[w + 1]);
            IntVector v2 = broadcast(table.weights[w + 2]);
            IntVector v3 = broadcast(table.weights[w + 3]);
            int at = table.start[x] * channels;
            for (int end = at + channels; at < end; at++, to++) {
                IntVector sum = load(columns, places[at]).mul(v0).add(half);
                sum = sum.add(load(columns, places[at + channels]).mul(v1));
                sum = sum.add(load(columns, places[at + 2 * channels]).mul(v2));
                sum = sum.add(load(columns, places[at + 3 * channels]).mul(v3));
                store(shifted(sum), narrowed, places[to]);
            }
        }
    }

    private static void acrossAny(byte[] columns, int[] places, int channels, ResampleTable table, byte[] narrowed) {
        for (int x = 0, to = 0, w = 0; x < table.out; x++, w += table.taps) {
            int first = table.start[x] * channels;
            for (int end = first + channels; first < end; first++, to++) {
                IntVector sum = broadcast(HALF);
                int at = first;
                for (int tap = 0; tap < table.taps; tap++, at += channels) {
                    sum = sum.add(load(columns, places[at]).mul(broadcast(table.weights[w + tap])));
                }
                store(clamped(shifted(sum)), narrowed, places[to]);
            }
        }
    }

    /**
     * Returns a step that filters along columns, one line of the result after the other.
     *
     * @param rows the rows to weigh; tap t begins at {@code from[t]}
     * @param from the beginnings of the taps
     * @param table the weights
     * @param clamp whether sums may leave 0 to 255
     * @param result receives lines of {@code count} bytes
     * @param count the bytes of a line
     */
    static VectorStep down(byte[] rows, int[] from, ResampleTable table, boolean clamp, byte[] result, int count) {
        if (count < LANES) {
            return y -> downNarrow(rows, from, table, y, result, count);
        }
        return switch (clamp ? 0 : table.taps) {
            case 2, 3 -> y -> down3(rows, from, table, y, result, count);
            case 4 -> y -> down4(rows, from, table, y, result, count);
            default -> y -> downAny(rows, from, table, y, result, count);
        };
    }

    /** Filters with two or three taps. */
    private static void down3(byte[] rows, int[] from, ResampleTable table, int y, byte[] result, int count) {
        int w = y * table.taps;
        int row2 = table.taps > 2 ? from[2] : 0;
        IntVector half = broadcast(HALF);
        IntVector v0 = broadcast(table.weights[w]);
        IntVector v1 = broadcast(table.weights[w + 1]);
        IntVector v2 = broadcast(table.taps > 2 ? table.weights[w + 2] : 0);
        for (int i = 0; i < count; i += LANES) {
            int at = startOf(i, count);
            IntVector sum = load(rows, from[0] + at).mul(v0).add(half);
            sum = sum.add(load(rows, from[1] + at).mul(v1));
            sum = sum.add(load(rows, row2 + at).mul(v2));
            store(shifted(sum), result, y * count + at);
        }
    }

    private static void down4(byte[] rows, int[] from, ResampleTable table, int y, byte[] result, int count) {
        int w = y * 4;
        IntVector half = broadcast(HALF);
        IntVector v0 = broadcast(table.weights[w]);
        IntVector v1 = broadcast(table.weights[w + 1]);
        IntVector v2 = broadcast(table.weights[w + 2]);
        IntVector v3 = broadcast(table.weights[w + 3]);
        for (int i = 0; i < count; i += LANES) {
            int at = startOf(i, count);
            IntVector sum = load(rows, from[0] + at).mul(v0).add(half);
            sum = sum.add(load(rows, from[1] + at).mul(v1));
            sum = sum.add(load(rows, from[2] + at).mul(v2));
            sum = sum.add(load(rows, from[3] + at).mul(v3));
            store(shifted(sum), result, y * count + at);
        }
    }

    private static void downAny(byte[] rows, int[] from, ResampleTable table, int y, byte[] result, int count) {
        int w = y * table.taps;
        for (int i = 0; i < count; i += LANES) {
            int at = startOf(i, count);
            IntVector sum = broadcast(HALF);
            for (int tap = 0; tap < table.taps; tap++) {
                sum = sum.add(load(rows, from[tap] + at).mul(broadcast(table.weights[w + tap])));
            }
            store(clamped(shifted(sum)), result, y * count + at);
        }
    }

    /**
     * Returns the beginning of a vector. The last vector ends with the line and repeats a part of the vector before it.
     */
    private static int startOf(int i, int count) {
        return Math.min(i, count - LANES);
    }

    /** Filters a line that is shorter than a vector. */
    private static void downNarrow(byte[] rows, int[] from, ResampleTable table, int y, byte[] result, int count) {
        for (int i = 0; i < count; i++) {
            int sum = HALF;
            for (int tap = 0; tap < table.taps; tap++) {
                sum += (rows[from[tap] + i] & 255) * table.weights[y * table.taps + tap];
            }
            result[y * count + i] = (byte) Math.max(Math.min(sum >> BITS, 255), 0);
        }
    }

    private static IntVector broadcast(int weight) {
        return IntVector.broadcast(INTS, weight);
    }

    private static IntVector load(byte[] bytes, int at) {
        ByteVector loaded = ByteVector.fromArray(BYTES, bytes, at);
        return ((IntVector) loaded.convertShape(VectorOperators.B2I, INTS, 0)).and(broadcast(255));
    }

    private static IntVector shifted(IntVector sum) {
        return sum.lanewise(VectorOperators.ASHR, BITS);
    }

    private static IntVector clamped(IntVector values) {
        return values.max(broadcast(0)).min(broadcast(255));
    }

    private static void store(IntVector values, byte[] bytes, int at) {
        ((ByteVector) values.convertShape(VectorOperators.I2B, BYTES, 0)).intoArray(bytes, at);
    }
}
