package io.millrace.order;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The order of one epoch under {@link Shuffle.Blocks}, in constant memory. The blocks are permuted; each {@code open} of
 * them, in that order, are a <i>group</i>, and the samples of a group are permuted together. Any stretch of the epoch
 * within a group lies in {@code open} blocks, and one of at most a group's length in twice as many.
 *
 * <p>The dataset's last block may be short and stand anywhere. Places behind it are counted as if it were whole: then
 * all else is division.
 */
final class BlockOrder {
    /** Groups are told apart by one word of the generator's counter. */
    private static final long MOST_GROUPS = 1L << 31;

    private record Group(long number, Permutation samples) {}

    private final long seed;
    private final int epoch;
    private final long size;
    private final int blockSize;
    private final int open;
    private final long groupSize;

    /** Samples that the dataset's last block is short of a whole one. */
    private final long missing;

    private final Permutation blocks;

    /** Where the short block stands among the permuted ones. */
    private final long shortPlace;

    /** The group asked for last; threads may overwrite each other's, which costs them making it again. */
    private @Nullable Group latest;

    /**
     * The order of an epoch.
     *
     * @param size samples of the dataset, 1 to 2^40
     * @throws IllegalArgumentException when the blocks are too small for so large a dataset
     */
    BlockOrder(long seed, int epoch, long size, Shuffle.Blocks shuffle) {
        requireFew(size, shuffle);
        this.seed = seed;
        this.epoch = epoch;
        this.size = size;
        this.blockSize = shuffle.size();
        this.open = shuffle.open();
        this.groupSize = groupSize(shuffle);
        long count = (size + blockSize - 1) / blockSize;
        this.missing = count * blockSize - size;
        this.blocks = new Permutation(seed, epoch, count);
        this.shortPlace = blocks.inverse(count - 1);
    }

    /** Refuses blocks that are too small for so large a dataset. */
    static void requireFew(long size, Shuffle.Blocks shuffle) {
        if (size / groupSize(shuffle) >= MOST_GROUPS) {
            throw new IllegalArgumentException("blocks of " + shuffle.size() + " samples, " + shuffle.open()
                    + " open, are too small for " + size + " samples");
        }
    }

    private static long groupSize(Shuffle.Blocks shuffle) {
        return (long) shuffle.size() * shuffle.open();
    }

    /** The sample index at place {@code i}, 0 to size - 1. */
    long apply(long i) {
        Objects.checkIndex(i, size);
        long shortGroup = shortPlace / open;
        long number = i < shortGroup * groupSize ? i / groupSize : (i + missing) / groupSize;
        long start = number * groupSize - (number > shortGroup ? missing : 0);
        long inGroup = samples(number).apply(i - start);

        long firstBlock = number * open;
        long wholeBefore = (shortPlace - firstBlock) * blockSize;
        boolean behindShort = number == shortGroup && inGroup >= wholeBefore + blockSize - missing;
        long asIfWhole = behindShort ? inGroup + missing : inGroup;
        return blocks.apply(firstBlock + asIfWhole / blockSize) * blockSize + asIfWhole % blockSize;
    }

    private Permutation samples(long number) {
        Group known = latest;
        if (known == null || known.number != number) {
            // Round numbers below 2^32 are the epochs' own permutations.
            known = new Group(number, new Permutation(seed, (number + 1) << Integer.SIZE | epoch, samplesOf(number)));
            latest = known;
        }
        return known.samples;
    }

    private long samplesOf(long group) {
        long firstBlock = group * open;
        long count = Math.min(open, blocks.size() - firstBlock);
        return count * blockSize - (group == shortPlace / open ? missing : 0);
    }
}
