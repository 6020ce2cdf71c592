package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * The exchange of rows and columns of bytes, eight rows at a time. Shifts exchange parts of eight {@code long}, one
 * from each row: halves between rows 4 apart, quarters between rows 2 apart, and bytes between neighbours (Hacker's
 * Delight, 7-3, with bytes in place of bits). No lane of a vector needs its neighbour. After the exchange, row k has
 * the columns k, k + 8, k + 16 ..., 8 bytes each. A second exchange restores the rows.
 *
 * <p>Each method is short, because the compiler stops inlining vector operations in a method that has many of them.
 */
final class ByteBlocks {
    /** The number of rows that are exchanged together. */
    static final int ROWS = Long.BYTES;

    private static final VectorSpecies<Byte> BYTES =
            ByteVector.SPECIES_PREFERRED.length() >= 64 ? ByteVector.SPECIES_512 : ByteVector.SPECIES_256;

    /** Rows are read and written in multiples of this number of bytes. */
    static final int STEP = BYTES.length();

    private static final VectorSpecies<Long> LONGS = VectorSpecies.of(long.class, BYTES.vectorShape());
    private static final int LANES = LONGS.length();

    /** The shuffle of {@link #interleave}, which doubles each lane of the first half of a vector. */
    private static final VectorShuffle<Long> FIRST_TWICE = VectorShuffle.fromOp(LONGS, lane -> lane / 2);

    private static final VectorShuffle<Long> SECOND_TWICE = VectorShuffle.fromOp(LONGS, lane -> (LANES + lane) / 2);
    private static final VectorMask<Long> ODD = VectorMask.fromLong(LONGS, 0xaaaa_aaaa_aaaa_aaaaL);

    /** The shuffle of {@link #separate}, which puts all even lanes before all odd lanes. */
    private static final VectorShuffle<Long> EVEN_FIRST =
            VectorShuffle.fromOp(LONGS, lane -> 2 * lane % LANES + 2 * lane / LANES);

    private static final VectorShuffle<Long> ODD_FIRST =
            VectorShuffle.fromOp(LONGS, lane -> 2 * lane % LANES + 1 - 2 * lane / LANES);
    private static final VectorMask<Long> SECOND = VectorMask.fromLong(LONGS, -1L << (LANES / 2));

    private ByteBlocks() {}

    /** Does the first step of three: exchanges halves of the rows of {@code in}, which begin at {@code rows}. */
    static void exchangeHalves(byte[] in, int[] rows, byte[] out, int to, int stride, int count) {
        LongVector mask = LongVector.broadcast(LONGS, 0x00000000ffffffffL);
        LongVector rest = LongVector.broadcast(LONGS, 0xffffffff00000000L);
        for (int row = 0; row < 4; row++) {
            int upper = rows[row];
            int lower = rows[row + 4];
            int toUpper = to + row * stride;
            int toLower = toUpper + 4 * stride;
            for (int i = 0; i < count; i += STEP) {
                LongVector above = load(in, upper + i);
                LongVector below = load(in, lower + i);
                store(low(above, below, mask, 32), out, toUpper + i);
                store(high(above, below, mask, rest, 32), out, toLower + i);
            }
        }
    }

    /**
     * Does the other two steps: exchanges quarters, in place, then bytes.
     *
     * @param bytes eight rows at a distance of {@code stride}
     * @param out receives eight rows from {@code to} on, at a distance of {@code toStride}
     */
    static void exchangeWithin(byte[] bytes, int stride, byte[] out, int to, int toStride, int count) {
        LongVector quarters = LongVector.broadcast(LONGS, 0x0000ffff0000ffffL);
        LongVector rest = LongVector.broadcast(LONGS, 0xffff0000ffff0000L);
        for (int pair = 0; pair < 4; pair++) {
            int upper = (pair / 2 * 4 + pair % 2) * stride;
            int lower = upper + 2 * stride;
            for (int i = 0; i < count; i += STEP) {
                LongVector above = load(bytes, upper + i);
                LongVector below = load(bytes, lower + i);
                store(low(above, below, quarters, 16), bytes, upper + i);
                store(high(above, below, quarters, rest, 16), bytes, lower + i);
            }
        }
        LongVector ones = LongVector.broadcast(LONGS, 0x00ff00ff00ff00ffL);
        LongVector others = LongVector.broadcast(LONGS, 0xff00ff00ff00ff00L);
        for (int pair = 0; pair < 4; pair++) {
            int upper = 2 * pair * stride;
            int lower = upper + stride;
            int toUpper = to + 2 * pair * toStride;
            int toLower = toUpper + toStride;
            for (int i = 0; i < count; i += STEP) {
                LongVector above = load(bytes, upper + i);
                LongVector below = load(bytes, lower + i);
                store(low(above, below, ones, 8), out, toUpper + i);
                store(high(above, below, ones, others, 8), out, toLower + i);
            }
        }
    }

    /**
     * Returns the masked parts of the upper row. The bits above each of these parts are the masked part of the lower
     * row.
     */
    private static LongVector low(LongVector above, LongVector below, LongVector mask, int bits) {
        return above.and(mask).or(below.and(mask).lanewise(VectorOperators.LSHL, bits));
    }

    /** Returns the parts of both rows that {@link #low} leaves out. */
    private static LongVector high(LongVector above, LongVector below, LongVector mask, LongVector rest, int bits) {
        return above.lanewise(VectorOperators.LSHR, bits).and(mask).or(below.and(rest));
    }

    /**
     * Joins the columns of eight rows with the columns of the eight rows below. The results are columns of sixteen
     * rows.
     */
    static void interleave(byte[] upper, byte[] lower, int stride, int count, byte[] columns) {
        for (int row = 0; row < ROWS; row++) {
            for (int i = row * stride; i < row * stride + count; i += STEP) {
                LongVector above = load(upper, i);
                LongVector below = load(lower, i);
                store(above.rearrange(FIRST_TWICE).blend(below.rearrange(FIRST_TWICE), ODD), columns, 2 * i);
                store(above.rearrange(SECOND_TWICE).blend(below.rearrange(SECOND_TWICE), ODD), columns, 2 * i + STEP);
            }
        }
    }

    /** Reverses {@link #interleave}. */
    static void separate(byte[] columns, int stride, int count, byte[] upper, byte[] lower) {
        for (int row = 0; row < ROWS; row++) {
            for (int i = row * stride; i < row * stride + count; i += STEP) {
                LongVector first = load(columns, 2 * i);
                LongVector second = load(columns, 2 * i + STEP);
                store(first.rearrange(EVEN_FIRST).blend(second.rearrange(ODD_FIRST), SECOND), upper, i);
                store(first.rearrange(ODD_FIRST).blend(second.rearrange(EVEN_FIRST), SECOND), lower, i);
            }
        }
    }

    private static LongVector load(byte[] bytes, int at) {
        return ByteVector.fromArray(BYTES, bytes, at).reinterpretAsLongs();
    }

    private static void store(LongVector longs, byte[] bytes, int at) {
        longs.reinterpretAsBytes().intoArray(bytes, at);
    }
}
