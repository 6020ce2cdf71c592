package io.millrace.order;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The random numbers of one transform for one sample in one epoch. The generator is counter-based (Philox4x32-10), so
 * the numbers depend only on (seed, epoch, sample index, stage). Different combinations of these values never share
 * numbers.
 *
 * <p>One object serves one thread. {@link #reset} moves the object to the next sample without allocation. It must be
 * called before the first number is drawn.
 */
public final class SampleRandom {
    /** The stage number of generated data. Transforms have smaller numbers. */
    public static final int GENERATED_DATA = 0xFFFF;

    /** The stage number of reading training samples. */
    public static final int READ = 0xFFFE;

    /** The stage number of reading evaluation samples. */
    public static final int READ_EVALUATION = 0xFFFD;

    /** The number of sample indexes. An index of a run with several datasets counts through all of them, see {@link Sources}. */
    public static final long INDEXES = 1L << 47;

    private static final int MAX_STAGE = 0xFFFF;
    /**
     * A bit of the counter's word 3 that is 0 for every index and stage. Blocks with this bit are the seeds of parts.
     */
    private static final int PART = 1 << 15;

    private static final long LOW_WORD = 0xFFFF_FFFFL;
    private static final double ULP_53 = 0x1p-53;

    private final long seed;
    private final int stage;
    private final int[] words = new int[Philox.WORDS];

    private @Nullable SampleRandom[] parts = {};
    private int epoch = -1;
    private long index;
    private int indexLow;
    private int stageAndIndexHigh;
    private int nextBlock;
    private int nextWord = Philox.WORDS;

    /**
     * Creates the numbers of one stage.
     *
     * @param seed the run's seed
     * @param stage the stage's number, 0 to 65535; the evaluation's transforms have their own numbers
     */
    public SampleRandom(long seed, int stage) {
        if (stage < 0 || stage > MAX_STAGE) {
            throw new IllegalArgumentException("stage number " + stage + " is not in 0 to " + MAX_STAGE);
        }
        this.seed = seed;
        this.stage = stage;
    }

    /**
     * Starts the sequence of this sample in this epoch; returns this object.
     *
     * @param epoch 0 or more
     * @param index the sample's index, 0 to 2^47 - 1
     */
    public SampleRandom reset(int epoch, long index) {
        if (epoch < 0) {
            throw new IllegalArgumentException("negative epoch " + epoch);
        }
        Objects.checkIndex(index, INDEXES);
        this.epoch = epoch;
        this.index = index;
        // Word 0 of the counter numbers the blocks, word 1 is the epoch, and words 2 and 3 are the index and the
        // stage. 2^32 blocks are 64 GiB of numbers for one sample.
        indexLow = (int) index;
        stageAndIndexHigh = stage << 16 | (int) (index >>> 32);
        nextBlock = 0;
        nextWord = Philox.WORDS;
        return this;
    }

    /**
     * Returns the numbers of one part of the stage for the same sample and epoch, from their beginning. A transform
     * within a transform draws from a part. The numbers of a part are independent of the stage's own numbers and of
     * other parts, even if some of those numbers have been drawn before. Parts can have parts.
     *
     * @param ordinal the part's number, 0 or more; the memory of each part is kept, so use few and consecutive numbers
     * @return an object that belongs to this one, valid until the next call with the same ordinal or {@link #reset}
     */
    public SampleRandom part(int ordinal) {
        requireSample();
        if (ordinal >= parts.length) {
            parts = Arrays.copyOf(parts, ordinal + 1);
        }
        SampleRandom part = parts[ordinal];
        if (part == null) {
            int[] block = new int[Philox.WORDS];
            Philox.block(seed, ordinal, 0, 0, stage << 16 | PART, block);
            part = new SampleRandom((block[0] & LOW_WORD) | (long) block[1] << Integer.SIZE, stage);
            parts[ordinal] = part;
        }
        return part.reset(epoch, index);
    }

    /** Returns 32 random bits. */
    public int nextInt() {
        if (nextWord == Philox.WORDS) {
            refill();
        }
        return words[nextWord++];
    }

    /**
     * Returns a uniform number in [0, bound), without modulo bias: Lemire, "Fast random integer generation in an
     * interval" (2019).
     *
     * @param bound at least 1
     */
    public int nextInt(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound must be positive, is " + bound);
        }
        long product = (nextInt() & LOW_WORD) * bound;
        if ((product & LOW_WORD) < bound) {
            // Products with a low word below (2^32 mod bound) are rejected; otherwise some results would be more
            // likely.
            long surplus = (1L << 32) % bound;
            while ((product & LOW_WORD) < surplus) {
                product = (nextInt() & LOW_WORD) * bound;
            }
        }
        return (int) (product >>> 32);
    }

    /** Returns a uniform number in [0, 1) with 53 random bits. */
    public double nextDouble() {
        int high = nextInt() >>> 5;
        int low = nextInt() >>> 6;
        return (((long) high << 26) | low) * ULP_53;
    }

    /**
     * Returns a uniform number in [from, to), or {@code from} when both are equal.
     *
     * @throws IllegalArgumentException when {@code from} is larger than {@code to} or one of them is not a number
     */
    public double nextDouble(double from, double to) {
        if (!(from <= to)) {
            throw new IllegalArgumentException("expected an interval, found from " + from + " to " + to);
        }
        double value = from + (to - from) * nextDouble();
        // Rounding may reach the end, which is excluded.
        return value < to || from == to ? value : Math.nextDown(to);
    }

    /** Fills the array with uniform bytes, starting with a new block of the generator. */
    public void nextBytes(byte[] bytes) {
        requireSample();
        nextBlock += Philox.fill(seed, nextBlock, epoch, indexLow, stageAndIndexHigh, bytes);
        nextWord = Philox.WORDS;
        int tail = bytes.length % (Philox.WORDS * Integer.BYTES);
        int start = bytes.length - tail;
        for (int at = start; at < bytes.length; at += Integer.BYTES) {
            int word = nextInt();
            for (int i = at; i < Math.min(at + Integer.BYTES, bytes.length); i++) {
                bytes[i] = (byte) word;
                word >>>= Byte.SIZE;
            }
        }
        nextWord = Philox.WORDS;
    }

    private void refill() {
        requireSample();
        Philox.block(seed, nextBlock++, epoch, indexLow, stageAndIndexHigh, words);
        nextWord = 0;
    }

    private void requireSample() {
        if (epoch < 0) {
            throw new IllegalStateException("reset(epoch, index) has to be called before numbers are drawn");
        }
    }
}
