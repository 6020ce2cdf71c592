package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BlockOrderTest {
    @Test
    void everySmallCaseVisitsEverySampleOnce() {
        for (int size = 1; size <= 40; size++) {
            for (int block = 1; block <= 12; block++) {
                for (int open = 1; open <= 6; open++) {
                    for (int epoch = 0; epoch < 3; epoch++) {
                        assertBijection(epoch(7, epoch, size, block, open));
                    }
                }
            }
        }
    }

    @Property(tries = 200)
    void anyCaseVisitsEverySampleOnce(
            @ForAll long seed,
            @ForAll @IntRange(min = 0) int epoch,
            @ForAll @IntRange(min = 1, max = 50_000) int size,
            @ForAll @IntRange(min = 1, max = 3000) int block,
            @ForAll @IntRange(min = 1, max = 50) int open) {
        assertBijection(epoch(seed, epoch, size, block, open));
    }

    @Property(tries = 200)
    void shortStretchOfTheEpochLiesInFewBlocks(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 20_000) int size,
            @ForAll @IntRange(min = 1, max = 500) int block,
            @ForAll @IntRange(min = 1, max = 20) int open) {
        long[] indexes = epoch(seed, 0, size, block, open);
        // Counted from the start of the epoch, each group has all samples of its blocks and no others.
        int[] lastPlaces = lastPlaces(indexes, block);
        int start = 0;
        while (start < size) {
            int end = groupEnd(indexes, start, block, open, lastPlaces);
            assertThat(blocks(indexes, start, end, block)).as("from %d", start).isLessThanOrEqualTo(open);
            start = end;
        }
        // Consecutive samples from any place on lie in at most two groups.
        for (int from = 0; from < size; from += Math.max(1, size / 50)) {
            int to = Math.min(size, from + block * open - block + 1);
            assertThat(blocks(indexes, from, to, block)).isLessThanOrEqualTo(2L * open);
        }
    }

    @Property(tries = 200)
    void largestDatasetsStayInRange(
            @ForAll long seed,
            @ForAll @LongRange(min = 1L << 30, max = Permutation.MAX_SIZE) long size,
            @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE) int open) {
        BlockOrder order = new BlockOrder(seed, 3, size, new Shuffle.Blocks(1024, open));
        LongStream.of(0, 1, size / 2, size - 2, size - 1)
                .forEach(i -> assertThat(order.apply(i)).isBetween(0L, size - 1));
    }

    @Test
    void stretchOfALargeDatasetHasNoEqualSamples() {
        long size = Permutation.MAX_SIZE - 77;
        BlockOrder order = new BlockOrder(5, 9, size, new Shuffle.Blocks(1000, 16));
        for (long from : new long[] {0, 12_345_678_901L, size - 100_000}) {
            assertThat(LongStream.range(from, from + 100_000)
                            .map(order::apply)
                            .distinct()
                            .count())
                    .isEqualTo(100_000);
        }
    }

    @Test
    void epochsAndSeedsChangeTheOrderOfBlocksAndWithinBlocks() {
        long[] first = epoch(1, 0, 6000, 100, 4);
        for (long[] other : new long[][] {epoch(1, 1, 6000, 100, 4), epoch(2, 0, 6000, 100, 4)}) {
            long sameIndex = count(6000, i -> first[i] == other[i]);
            long sameBlock = count(6000, i -> first[i] / 100 == other[i] / 100);
            // On average, two random orders have the same sample in 1 of 6000 places and the same block in 100 of 6000.
            // The bounds are wider, because groups of four blocks match or differ as a whole.
            assertThat(sameIndex).isLessThan(10);
            assertThat(sameBlock).isLessThan(600);
        }
    }

    @Test
    void samplesOfAGroupAreMixedThroughout() {
        // Within a group, the samples of each block come early as often as late.
        long[] counts = new long[16 * 8];
        for (int epoch = 0; epoch < 300; epoch++) {
            long[] indexes = epoch(42, epoch, 1600, 100, 16);
            for (int i = 0; i < 1600; i++) {
                counts[i / 200 * 16 + (int) (indexes[i] / 100)]++;
            }
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(15 * 7));
    }

    @Test
    void neighboursAreNotCorrelatedWithinAGroup() {
        double products = 0;
        int size = 64_000;
        long pairs = 0;
        for (int epoch = 0; epoch < 10; epoch++) {
            long[] indexes = epoch(42, epoch, size, 1000, 64);
            for (int i = 1; i < size; i++) {
                products += centred(indexes[i], size) * centred(indexes[i - 1], size);
                pairs++;
            }
        }
        assertThat(products / Math.sqrt((double) pairs)).isBetween(-5.0, 5.0);
    }

    @Test
    void blocksFollowEachOtherAtRandom() {
        // With one open block, the epoch is a permutation of the blocks, and a step from one block to the next may have
        // any length.
        long[] steps = new long[50];
        for (int epoch = 0; epoch < 400; epoch++) {
            long[] indexes = epoch(42, epoch, 5000, 10, 1);
            for (int i = 10; i < 5000; i += 10) {
                steps[(int) (Math.floorMod(indexes[i] / 10 - indexes[i - 10] / 10, 500L) / 10)]++;
            }
        }
        // A step of 0 never happens. In a uniform distribution it would be one in 500 of the first count, and the bound
        // allows for this difference.
        assertThat(ChiSquare.uniform(steps)).isLessThan(ChiSquare.bound(49) + 400 * 499.0 / 500 / 50);
    }

    @Test
    void blockAsLargeAsTheDatasetPermutesAllSamples() {
        long[] indexes = epoch(1, 0, 1000, 5000, 16);

        assertBijection(indexes);
        assertThat(count(1000, i -> indexes[i] == i)).isLessThan(8);
    }

    @Test
    void threadsInDifferentGroupsAndEpochsDoNotDisturbEachOther() {
        EpochOrder order = new EpochOrder(42, 10_000, new Shuffle.Blocks(50, 4));
        long[][] expected = {epoch(42, 0, 10_000, 50, 4), epoch(42, 1, 10_000, 50, 4)};

        boolean same = IntStream.range(0, 200_000)
                .parallel()
                .allMatch(i -> order.index(i % 2, i % 10_000) == expected[i % 2][i % 10_000]);

        assertThat(same).isTrue();
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> new Shuffle.Blocks(0, 1)).hasMessage("expected blocks of at least 1 sample, found 0");
        assertThatThrownBy(() -> new Shuffle.Blocks(1, 0)).hasMessage("expected at least 1 open block, found 0");
        assertThatThrownBy(() -> new EpochOrder(0, Permutation.MAX_SIZE, new Shuffle.Blocks(16, 2)))
                .hasMessage("blocks of 16 samples, 2 open, are too small for 1099511627776 samples");
    }

    private static long[] epoch(long seed, int epoch, int size, int block, int open) {
        BlockOrder order = new BlockOrder(seed, epoch, size, new Shuffle.Blocks(block, open));
        return LongStream.range(0, size).map(order::apply).toArray();
    }

    private static void assertBijection(long[] indexes) {
        long[] sorted = Arrays.stream(indexes).sorted().toArray();
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] != i) {
                throw new AssertionError("index " + i + " of " + sorted.length + " is missing or comes twice");
            }
        }
    }

    /** Returns the place of the last sample of each block. */
    private static int[] lastPlaces(long[] indexes, int block) {
        int[] places = new int[indexes.length / block + 1];
        for (int i = 0; i < indexes.length; i++) {
            places[(int) (indexes[i] / block)] = i;
        }
        return places;
    }

    /** Returns the place after the last sample of the first {@code open} blocks from {@code start} on. */
    private static int groupEnd(long[] indexes, int start, int block, int open, int[] lastPlaces) {
        Set<Long> first = new HashSet<>();
        int last = start;
        for (int i = start; i < indexes.length && first.size() < open; i++) {
            first.add(indexes[i] / block);
            last = Math.max(last, lastPlaces[(int) (indexes[i] / block)]);
        }
        return last + 1;
    }

    private static long blocks(long[] indexes, int from, int to, int block) {
        return Arrays.stream(indexes, from, to)
                .map(index -> index / block)
                .distinct()
                .count();
    }

    private static long count(int size, IntPredicate condition) {
        return IntStream.range(0, size).filter(condition).count();
    }

    /** Returns the index, scaled to mean 0 and variance 1. */
    private static double centred(long index, long size) {
        return (index - (size - 1) / 2.0) / size * Math.sqrt(12);
    }
}
