package io.millrace.order;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1,
 * 2, 3" (SC 2011). A block of 128 random bits is a function of a 64-bit key and a 128-bit counter; there is no other
 * state.
 *
 * <p>Here the key is always the run's seed, so all numbers of a run come from one space of counters. That space is
 * divided so that no two classes use the same counter. Word 1 of the counter identifies the class. {@link SampleRandom}
 * sets it to the epoch, 0 to 2^31 - 1. {@link Permutation} sets it to {@link #PERMUTATION}, whose sign bit is set, and
 * {@link #derived} to {@link #SEED}, and {@link WeightTable} to {@link #DRAW}.
 */
final class Philox {
    /** Word 1 of the counters from which permutations draw their keys. */
    static final int PERMUTATION = 0x8000_0000;

    /** Word 1 of the counters from which other seeds are derived. */
    static final int SEED = 0x8000_0001;

    /** Word 1 of the counters of the draws of samples by weight. */
    static final int DRAW = 0x8000_0002;

    /** The purpose of the seed of the jitter of a mixture. */
    static final int JITTER = 0;

    /** The purpose of the seeds of the sources of a mixture. */
    static final int SOURCE = 1;

    /** The number of words in a block. */
    static final int WORDS = 4;

    private static final int BLOCK_BYTES = WORDS * Integer.BYTES;
    private static final int ROUNDS = 10;
    private static final long MULTIPLIER_0 = 0xD251_1F53L;
    private static final long MULTIPLIER_1 = 0xCD9E_8D57L;
    private static final int WEYL_0 = 0x9E37_79B9;
    private static final int WEYL_1 = 0xBB67_AE85;
    private static final long LOW_WORD = 0xFFFF_FFFFL;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Philox() {}

    /**
     * Writes the block of a key and a counter to {@code out[0..3]}. The counter's words are numbered from the least
     * significant one.
     */
    static void block(long key, int counter0, int counter1, int counter2, int counter3, int[] out) {
        int key0 = (int) key;
        int key1 = (int) (key >>> 32);
        int c0 = counter0;
        int c1 = counter1;
        int c2 = counter2;
        int c3 = counter3;
        for (int round = 0; round < ROUNDS; round++) {
            long product0 = (c0 & LOW_WORD) * MULTIPLIER_0;
            long product1 = (c2 & LOW_WORD) * MULTIPLIER_1;
            c0 = (int) (product1 >>> 32) ^ c1 ^ key0;
            c1 = (int) product1;
            c2 = (int) (product0 >>> 32) ^ c3 ^ key1;
            c3 = (int) product0;
            key0 += WEYL_0;
            key1 += WEYL_1;
        }
        out[0] = c0;
        out[1] = c1;
        out[2] = c2;
        out[3] = c3;
    }

    /**
     * Returns a seed for numbers that are independent of those of the given seed.
     *
     * @param purpose {@link #JITTER} or {@link #SOURCE}
     * @param number the number among the seeds of this purpose
     */
    static long derived(long seed, int purpose, int number) {
        int[] words = new int[WORDS];
        block(seed, purpose, SEED, number, 0, words);
        return (words[0] & LOW_WORD) | (long) words[1] << Integer.SIZE;
    }

    /**
     * Fills {@code bytes} from the start with whole blocks, little-endian. Word 0 of the counter counts up as an
     * unsigned number from {@code counter0}. Bytes after the last whole block stay unchanged.
     *
     * @return the number of blocks written; the caller makes sure that word 0 does not wrap
     */
    static int fill(long key, int counter0, int counter1, int counter2, int counter3, byte[] bytes) {
        int blocks = bytes.length / BLOCK_BYTES;
        for (int number = 0; number < blocks; number++) {
            int key0 = (int) key;
            int key1 = (int) (key >>> 32);
            int c0 = counter0 + number;
            int c1 = counter1;
            int c2 = counter2;
            int c3 = counter3;
            for (int round = 0; round < ROUNDS; round++) {
                long product0 = (c0 & LOW_WORD) * MULTIPLIER_0;
                long product1 = (c2 & LOW_WORD) * MULTIPLIER_1;
                c0 = (int) (product1 >>> 32) ^ c1 ^ key0;
                c1 = (int) product1;
                c2 = (int) (product0 >>> 32) ^ c3 ^ key1;
                c3 = (int) product0;
                key0 += WEYL_0;
                key1 += WEYL_1;
            }
            int at = number * BLOCK_BYTES;
            LONGS.set(bytes, at, (c0 & LOW_WORD) | (long) c1 << 32);
            LONGS.set(bytes, at + Long.BYTES, (c2 & LOW_WORD) | (long) c3 << 32);
        }
        return blocks;
    }
}
