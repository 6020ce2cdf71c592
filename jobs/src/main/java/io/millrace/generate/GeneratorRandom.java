package io.millrace.generate;

import java.util.SplittableRandom;

/** The random numbers of one image or text, a function of (seed, stream, index) only. Not thread-safe. */
public final class GeneratorRandom {
    /** Odd constants that distribute neighbouring streams and indices over the 64 bits before the generator mixes them. */
    private static final long STREAM_STEP = 0xd1342543de82ef95L;

    private static final long INDEX_STEP = 0x9fb21c651e98df25L;

    private final SplittableRandom bits;

    /**
     * Starts the sequence of one image or text.
     *
     * @param seed the seed of the generation
     * @param stream the number of the split, so that splits differ
     * @param index the number of the image or text in its stream
     */
    public GeneratorRandom(long seed, int stream, long index) {
        long start = new SplittableRandom(seed + STREAM_STEP * (stream + 1L)).nextLong();
        this.bits = new SplittableRandom(start ^ (INDEX_STEP * (index + 1)));
    }

    /** Returns 64 random bits. */
    public long nextLong() {
        return bits.nextLong();
    }

    /** Returns a uniformly distributed number in [0, bound). */
    public int below(int bound) {
        return bits.nextInt(bound);
    }

    /** Returns a uniformly distributed number in [from, to). */
    public double uniform(double from, double to) {
        return from + (to - from) * bits.nextDouble();
    }

    /** Returns true with this probability. */
    public boolean chance(double probability) {
        return bits.nextDouble() < probability;
    }

    /**
     * Returns an approximately normal number with mean 0 and deviation 1, between -3.5 and 3.5: the scaled sum of four uniform
     * numbers. The arithmetic is exact, so that every machine draws the same image.
     */
    public double normal() {
        long four = bits.nextLong();
        long sum = (four & 0xffff) + (four >>> 16 & 0xffff) + (four >>> 32 & 0xffff) + (four >>> 48);
        return (sum / 65535.0 - 2) * 1.7320508;
    }
}
