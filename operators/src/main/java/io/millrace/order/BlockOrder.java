package io.millrace.order;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The order of one epoch under {@link Shuffle.Blocks}, in constant memory. The blocks are permuted. Every {@code open}
 * consecutive blocks of that order form a <i>group</i>, and the samples of a group are permuted together. Therefore the
 * samples of one group come from at most {@code open} blocks. A series of consecutive samples that is no longer than a
 * group lies in at most two groups, so its samples come from at most twice as many blocks.
 *
 * <p>The dataset's last block may be shorter than the others, and any place in the permuted order may hold it. The code
 * counts the places after the short block as if that block were whole, and then finds groups and blocks by division.
 */
final class BlockOrder {
    /** The limit for the number of groups. One word of the generator's counter holds the group's number. */
    private static final long MOST_GROUPS = 1L << 31;

    private record Group(long number, Permutation samples) {}

    private final long seed;
    private final int epoch;
    private final long size;
    private final int blockSize;
    private final int open;
    private final long groupSize;

    /** The number of samples by which the dataset's last block is shorter than a whole one. */
    private final long missing;

    private final Permutation blocks;

    /** The place of the short block in the permuted order. */
    private final long shortPlace;

    /**
     * The group that was used last. Threads may overwrite each other's group. The result stays correct, because a
     * thread that finds another group creates its own group again.
     */
    private @Nullable Group latest;

    /**
     * Creates the order of an epoch.
     *
     * @param size the number of samples in the dataset, 1 to 2^40
     * @throws IllegalArgumentException when the blocks are too small for a dataset of this size
     */
    BlockOrder(long seed, int epoch, long size, Shuffle.Blocks shuffle) {
        requireLargeBlocks(size, shuffle);
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

    /** Checks that the blocks are large enough for a dataset of this size. */
    static void requireLargeBlocks(long size, Shuffle.Blocks shuffle) {
        if (size / groupSize(shuffle) >= MOST_GROUPS) {
            throw new IllegalArgumentException("blocks of " + shuffle.size() + " samples, " + shuffle.open()
                    + " open, are too small for " + size + " samples");
        }
    }

    private static long groupSize(Shuffle.Blocks shuffle) {
        return (long) shuffle.size() * shuffle.open();
    }

    /** Returns the sample index at place {@code i}, 0 to size - 1. */
    long apply(long i) {
        Objects.checkIndex(i, size);
        long shortGroup = shortPlace / open;
        long number = i < shortGroup * groupSize ? i / groupSize : (i + missing) / groupSize;
        long start = number * groupSize - (number > shortGroup ? missing : 0);
        long inGroup = permutation(number).apply(i - start);

        long firstBlock = number * open;
        long wholeBefore = (shortPlace - firstBlock) * blockSize;
        boolean behindShort = number == shortGroup && inGroup >= wholeBefore + blockSize - missing;
        long asIfWhole = behindShort ? inGroup + missing : inGroup;
        return blocks.apply(firstBlock + asIfWhole / blockSize) * blockSize + asIfWhole % blockSize;
    }

    /** Returns the place of the sample with an index, 0 to size - 1. */
    long inverse(long index) {
        Objects.checkIndex(index, size);
        long block = blocks.inverse(index / blockSize);
        long number = block / open;
        long firstBlock = number * open;
        long shortGroup = shortPlace / open;
        long start = number * groupSize - (number > shortGroup ? missing : 0);
        boolean behindShort = number == shortGroup && block > shortPlace;
        long asIfWhole = (block - firstBlock) * blockSize + index % blockSize;
        return start + permutation(number).inverse(behindShort ? asIfWhole - missing : asIfWhole);
    }

    private Permutation permutation(long number) {
        Group group = latest;
        if (group == null || group.number != number) {
            // Values of 'round' below 2^32 are used for permutations of whole epochs.
            group = new Group(number, new Permutation(seed, (number + 1) << Integer.SIZE | epoch, sampleCount(number)));
            latest = group;
        }
        return group.samples;
    }

    private long sampleCount(long group) {
        long firstBlock = group * open;
        long count = Math.min(open, blocks.size() - firstBlock);
        return count * blockSize - (group == shortPlace / open ? missing : 0);
    }
}
