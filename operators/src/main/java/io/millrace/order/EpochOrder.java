package io.millrace.order;

import java.util.Objects;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the samples of a dataset are visited: the sample index at each place of each epoch. An order needs
 * constant memory.
 */
public final class EpochOrder implements Order {
    private static final long serialVersionUID = 1;

    private record Epoch(int number, LongUnaryOperator places) {}

    private final long seed;
    private final long size;
    private final Shuffle shuffle;

    /**
     * The order of the epoch that was used last. The next call usually needs the same epoch. Threads may overwrite each
     * other's epoch. The result stays correct, because a thread then creates its own epoch again in about a
     * microsecond.
     */
    private transient @Nullable Epoch latest;

    /**
     * Creates an order.
     *
     * @param seed the run's seed; it has no effect without shuffling
     * @param size the number of samples, 0 to 2^40
     * @param shuffle the kind of shuffling
     * @throws IllegalArgumentException when the size is out of range, or the blocks are too small for it
     */
    public EpochOrder(long seed, long size, Shuffle shuffle) {
        if (size < 0 || size > Permutation.MAX_SIZE) {
            throw new IllegalArgumentException("size " + size + " is not in 0 to " + Permutation.MAX_SIZE);
        }
        this.seed = seed;
        this.size = size;
        this.shuffle = Objects.requireNonNull(shuffle);
        if (shuffle instanceof Shuffle.Blocks blocks) {
            BlockOrder.requireLargeBlocks(size, blocks);
        }
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public long size() {
        return size;
    }

    public Shuffle shuffle() {
        return shuffle;
    }

    /**
     * Returns the sample index at place {@code i} of an epoch.
     *
     * @param epoch 0 or more
     * @param i 0 to {@code size() - 1}
     */
    public long index(int epoch, long i) {
        if (epoch < 0) {
            throw new IllegalArgumentException("negative epoch " + epoch);
        }
        Objects.checkIndex(i, size);
        return shuffle == Shuffle.NONE ? i : places(epoch).applyAsLong(i);
    }

    @Override
    public Pick at(int epoch, long i) {
        return new Pick(0, epoch, index(epoch, i));
    }

    /**
     * Returns the place of a sample in an epoch: the number {@code i} for which {@link #index} returns its index.
     *
     * @param epoch 0 or more
     * @param index 0 to {@code size() - 1}
     */
    public long place(int epoch, long index) {
        Objects.checkIndex(index, size);
        if (shuffle == Shuffle.NONE) {
            return index;
        }
        return shuffle instanceof Shuffle.Blocks blocks
                ? new BlockOrder(seed, epoch, size, blocks).inverse(index)
                : new Permutation(seed, epoch, size).inverse(index);
    }

    private LongUnaryOperator places(int epoch) {
        Epoch known = latest;
        if (known == null || known.number != epoch) {
            known = new Epoch(
                    epoch,
                    shuffle instanceof Shuffle.Blocks blocks
                            ? new BlockOrder(seed, epoch, size, blocks)::apply
                            : new Permutation(seed, epoch, size)::apply);
            latest = known;
        }
        return known.places;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EpochOrder order
                && seed == order.seed
                && size == order.size
                && shuffle.equals(order.shuffle);
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
