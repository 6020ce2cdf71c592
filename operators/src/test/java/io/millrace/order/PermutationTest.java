package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PermutationTest {
    @Test
    void everySmallSizeIsABijection() {
        for (int size = 1; size <= 1100; size++) {
            for (int round = 0; round < 3; round++) {
                assertBijection(new Permutation(7, round, size));
            }
        }
    }

    @Property(tries = 20)
    void anySizeIsABijection(
            @ForAll long seed, @ForAll long round, @ForAll @IntRange(min = 1, max = 1 << 20) int size) {
        assertBijection(new Permutation(seed, round, size));
    }

    @Property(tries = 300)
    void inverseRevertsThePermutationUpToTheLargestSize(
            @ForAll long seed,
            @ForAll long round,
            @ForAll @LongRange(min = 1, max = Permutation.MAX_SIZE) long size,
            @ForAll @LongRange(min = 0, max = Permutation.MAX_SIZE) long anywhere) {
        Permutation permutation = new Permutation(seed, round, size);
        for (long i : new long[] {0, size - 1, anywhere % size, size / 2}) {
            long image = permutation.apply(i);
            assertThat(image).isBetween(0L, size - 1);
            assertThat(permutation.inverse(image)).isEqualTo(i);
            assertThat(permutation.apply(permutation.inverse(i))).isEqualTo(i);
        }
    }

    @Test
    void largestSizesHaveNoTwoEqualImages() {
        for (long size : new long[] {Permutation.MAX_SIZE, Permutation.MAX_SIZE - 1, (1L << 39) + 12_345}) {
            Permutation permutation = new Permutation(3, 0, size);
            long[] images = new long[300_000];
            for (int i = 0; i < images.length; i++) {
                images[i] = permutation.apply(i);
            }
            assertThat(java.util.Arrays.stream(images).distinct().count()).isEqualTo(images.length);
        }
    }

    @Test
    void tinySizesReachEveryOrderEquallyOften() {
        for (int size = 2; size <= 5; size++) {
            int orders = 1;
            for (int i = 2; i <= size; i++) {
                orders *= i;
            }
            long[] counts = new long[orders];
            for (int seed = 0; seed < 400 * orders; seed++) {
                counts[rank(new Permutation(seed, 0, size), size)]++;
            }
            assertThat(ChiSquare.uniform(counts)).as("size %d", size).isLessThan(ChiSquare.bound(orders - 1));
        }
    }

    @Test
    void everyPlaceIsUniformOverSeedsAndRounds() {
        for (int size : new int[] {10, 64, 100, 1000}) {
            for (long place : new long[] {0, 1, size / 2, size - 1}) {
                long[] bySeed = new long[size];
                long[] byRound = new long[size];
                for (int i = 0; i < 60 * size; i++) {
                    bySeed[(int) new Permutation(i, 0, size).apply(place)]++;
                    byRound[(int) new Permutation(42, i, size).apply(place)]++;
                }
                assertThat(ChiSquare.uniform(bySeed))
                        .as("%d of %d", place, size)
                        .isLessThan(ChiSquare.bound(size - 1));
                assertThat(ChiSquare.uniform(byRound))
                        .as("%d of %d", place, size)
                        .isLessThan(ChiSquare.bound(size - 1));
            }
        }
    }

    @Test
    void neighboursAreNotCorrelated() {
        for (int size : new int[] {1000, 60_000, 1 << 20, 1_281_167}) {
            for (int round = 0; round < 5; round++) {
                Permutation permutation = new Permutation(42, round, size);
                double products = 0;
                long[] steps = new long[97];
                long before = permutation.apply(size - 1);
                for (long i = 0; i < size; i++) {
                    long image = permutation.apply(i);
                    products += centred(image, size) * centred(before, size);
                    steps[(int) (Math.floorMod(image - before, (long) size) * steps.length / size)]++;
                    before = image;
                }
                assertThat(products / Math.sqrt(size)).as("size %d", size).isBetween(-5.0, 5.0);
                // A step of 0 never happens, but the statistic is not exact enough to show its absence.
                assertThat(ChiSquare.uniform(steps)).as("size %d", size).isLessThan(ChiSquare.bound(steps.length - 1));
            }
        }
    }

    @Test
    void epochsAreNotCorrelated() {
        for (int size : new int[] {1000, 60_000, 200_003}) {
            long fixed = 0;
            for (int round = 0; round < 20; round++) {
                Permutation one = new Permutation(42, round, size);
                Permutation next = new Permutation(42, round + 1, size);
                double products = 0;
                long[] pairs = new long[16 * 16];
                for (long i = 0; i < size; i++) {
                    long first = one.apply(i);
                    long second = next.apply(i);
                    products += centred(first, size) * centred(second, size);
                    pairs[(int) (first * 16 / size * 16 + second * 16 / size)]++;
                    fixed += first == second ? 1 : 0;
                }
                assertThat(products / Math.sqrt(size)).as("size %d", size).isBetween(-5.0, 5.0);
                assertThat(ChiSquare.uniform(pairs)).as("size %d", size).isLessThan(ChiSquare.bound(15 * 15));
            }
            // Two random orders agree in one place on average, so 20 pairs agree in 20 places, within 5 sqrt(20).
            assertThat(fixed).as("size %d", size).isBetween(2L, 42L);
        }
    }

    @Test
    void placesSpreadEvenlyOverTheDataset() {
        int buckets = 32;
        for (int size : new int[] {4096, 60_000, 999_983}) {
            for (int round = 0; round < 5; round++) {
                Permutation permutation = new Permutation(1, round, size);
                long[] counts = new long[buckets * buckets];
                for (long i = 0; i < size; i++) {
                    counts[(int) (i * buckets / size * buckets + permutation.apply(i) * buckets / size)]++;
                }
                assertThat(ChiSquare.uniform(counts))
                        .as("size %d", size)
                        .isLessThan(ChiSquare.bound((buckets - 1) * (buckets - 1)));
            }
        }
    }

    @Test
    void numberOfFixedPointsIsThatOfChance() {
        long fixed = 0;
        for (int round = 0; round < 1000; round++) {
            Permutation permutation = new Permutation(42, round, 500);
            for (int i = 0; i < 500; i++) {
                fixed += permutation.apply(i) == i ? 1 : 0;
            }
        }
        // A permutation has one fixed point on average, with variance 1.
        assertThat(fixed).isBetween(1000L - 158, 1000L + 158);
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> new Permutation(0, 0, 0)).hasMessageContaining("size 0 is not in 1 to");
        assertThatThrownBy(() -> new Permutation(0, 0, Permutation.MAX_SIZE + 1))
                .hasMessageContaining("1099511627777");
        Permutation permutation = new Permutation(0, 0, 10);
        assertThatThrownBy(() -> permutation.apply(10)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> permutation.inverse(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** Returns the image, scaled to mean 0 and variance 1. */
    private static double centred(long image, long size) {
        return (image - (size - 1) / 2.0) / size * Math.sqrt(12);
    }

    private static void assertBijection(Permutation permutation) {
        BitSet seen = new BitSet();
        for (long i = 0; i < permutation.size(); i++) {
            seen.set(Math.toIntExact(permutation.apply(i)));
        }
        assertThat(seen.cardinality()).isEqualTo((int) permutation.size());
        assertThat(seen.length()).isEqualTo((int) permutation.size());
    }

    /** Returns the number of the order among all orders of that size. */
    private static int rank(Permutation permutation, int size) {
        int rank = 0;
        for (int i = 0; i < size; i++) {
            int smallerLater = 0;
            for (int j = i + 1; j < size; j++) {
                smallerLater += permutation.apply(j) < permutation.apply(i) ? 1 : 0;
            }
            rank = rank * (size - i) + smallerLater;
        }
        return rank;
    }
}
