package io.millrace.order;

/**
 * The random numbers of one transform for one sample in one epoch: a counter-based generator (Philox4x32-10), so that
 * they depend on nothing but (seed, epoch, sample index, stage).
 *
 * <p>One object serves a thread: {@link #reset} moves it to the next sample without allocation.
 */
public final class SampleRandom {
    private final long seed;
    private final int stage;

    /**
     * The numbers of one stage.
     *
     * @param seed the run's seed
     * @param stage the stage's number, 0 to 65535; stages of the evaluation's transforms have numbers of their own
     */
    public SampleRandom(long seed, int stage) {
        this.seed = seed;
        this.stage = stage;
    }

    /** Starts the sequence of this sample in this epoch; returns itself. */
    public SampleRandom reset(int epoch, long index) {
        throw new UnsupportedOperationException("TODO " + seed + stage + epoch + index);
    }

    /** 32 random bits. */
    public int nextInt() {
        throw new UnsupportedOperationException();
    }

    /** Uniform in [0, bound), without modulo bias. */
    public int nextInt(int bound) {
        throw new UnsupportedOperationException();
    }

    /** Uniform in [0, 1), 53 bits. */
    public double nextDouble() {
        throw new UnsupportedOperationException();
    }

    /** Uniform in [from, to). */
    public double nextDouble(double from, double to) {
        return from + (to - from) * nextDouble();
    }

    /** Fills the array with uniform bytes. */
    public void nextBytes(byte[] bytes) {
        throw new UnsupportedOperationException();
    }
}
