package io.millrace.order;

/** A bijection on [0, size) computed in constant memory: a keyed Feistel network with cycle walking. */
public final class Permutation {
    private final long size;

    /**
     * A permutation.
     *
     * @param size 1 to 2^40
     */
    public Permutation(long seed, long round, long size) {
        this.size = size;
    }

    /** The image of {@code i}, 0 to size - 1. */
    public long apply(long i) {
        throw new UnsupportedOperationException("TODO" + size);
    }
}
