package io.millrace.generate;

import java.util.SplittableRandom;

/** The random numbers of one image: a function of (seed, stream, index) and nothing else. For one thread. */
public final class ImageRandom {
    /** Odd constants that spread neighbouring streams and indices over the 64 bits before the generator mixes them. */
    private static final long STREAM_STEP = 0xd1342543de82ef95L;

    private static final long INDEX_STEP = 0x9fb21c651e98df25L;

    private final SplittableRandom bits;

    /**
     * Starts the sequence of one image.
     *
     * @param stream tells splits apart
     * @param index the image's number in its stream
     */
    public ImageRandom(long seed, int stream, long index) {
        long start = new SplittableRandom(seed + STREAM_STEP * (stream + 1L)).nextLong();
        this.bits = new SplittableRandom(start ^ (INDEX_STEP * (index + 1)));
    }

    /** 64 random bits. */
    public long nextLong() {
        return bits.nextLong();
    }

    /** Uniform in [0, bound). */
    public int below(int bound) {
        return bits.nextInt(bound);
    }

    /** Uniform in [from, to). */
    public double uniform(double from, double to) {
        return from + (to - from) * bits.nextDouble();
    }

    /** True with this probability. */
    public boolean chance(double probability) {
        return bits.nextDouble() < probability;
    }

    /**
     * About normal with mean 0 and deviation 1, from -3.5 to 3.5: the sum of four uniforms. Exact arithmetic, so that
     * every machine draws the same image.
     */
    public double normal() {
        long four = bits.nextLong();
        long sum = (four & 0xffff) + (four >>> 16 & 0xffff) + (four >>> 32 & 0xffff) + (four >>> 48);
        return (sum / 65535.0 - 2) * 1.7320508;
    }
}
