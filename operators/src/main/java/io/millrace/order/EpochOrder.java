package io.millrace.order;

import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** In which order the samples of a dataset are visited: which index stands at place i of epoch e. Constant memory. */
public final class EpochOrder implements Serializable {
    private static final long serialVersionUID = 1;

    /** How samples are ordered. */
    public enum Shuffle {
        /** Storage order in every epoch. */
        NONE,
        /** A fresh permutation of the whole dataset in every epoch. */
        FULL
    }

    private record Epoch(int number, Permutation permutation) {}

    private final long seed;
    private final long size;
    private final Shuffle shuffle;

    /**
     * The epoch asked for last, as mostly it is asked for again. Threads may overwrite each other's: an epoch is
     * immutable, and made again for less than a microsecond.
     */
    private transient @Nullable Epoch latest;

    /**
     * An order.
     *
     * @param seed the run's seed; without effect when not shuffled
     * @param size the number of samples, 0 to 2^40
     * @param shuffle how
     */
    public EpochOrder(long seed, long size, Shuffle shuffle) {
        if (size < 0 || size > Permutation.MAX_SIZE) {
            throw new IllegalArgumentException("size " + size + " is not in 0 to " + Permutation.MAX_SIZE);
        }
        this.seed = seed;
        this.size = size;
        this.shuffle = Objects.requireNonNull(shuffle);
    }

    public long seed() {
        return seed;
    }

    public long size() {
        return size;
    }

    public Shuffle shuffle() {
        return shuffle;
    }

    /**
     * The sample index at place {@code i} of {@code epoch}.
     *
     * @param epoch 0 or more
     * @param i 0 to {@code size() - 1}
     */
    public long index(int epoch, long i) {
        if (epoch < 0) {
            throw new IllegalArgumentException("negative epoch " + epoch);
        }
        return switch (shuffle) {
            case NONE -> Objects.checkIndex(i, size);
            case FULL -> permutation(epoch, i).apply(i);
        };
    }

    private Permutation permutation(int epoch, long i) {
        Epoch known = latest;
        if (known == null || known.number != epoch) {
            Objects.checkIndex(i, size);
            known = new Epoch(epoch, new Permutation(seed, epoch, size));
            latest = known;
        }
        return known.permutation;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EpochOrder order
                && seed == order.seed
                && size == order.size
                && shuffle == order.shuffle;
    }

    @Override
    public int hashCode() {
        return Objects.hash(seed, size, shuffle);
    }

    @Override
    public String toString() {
        return "EpochOrder[seed=" + seed + ", size=" + size + ", shuffle=" + shuffle + "]";
    }
}
