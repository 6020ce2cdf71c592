package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class WorkBoundTest {
    @Property(tries = 300)
    void noDivisionIsBelowTheBounds(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int ranks,
            @ForAll @IntRange(min = 1, max = 3) int each,
            @ForAll @IntRange(min = 1, max = 5) int spread) {
        double[] costs = new Random(seed)
                .doubles((long) ranks * Math.min(each, 9 / ranks))
                .map(draw -> Math.pow(draw, spread))
                .sorted()
                .toArray();
        double least = least(costs, costs.length, new double[ranks], new int[ranks], false);
        assertThat(WorkBound.anyDivision(costs, ranks)).isBetween(0.0, least + 1e-9);
        double leastOfSorted = least(costs, costs.length, new double[ranks], new int[ranks], true);
        assertThat(WorkBound.fastMicroBatches(costs, ranks)).isBetween(0.0, leastOfSorted + 1e-9);
        assertThat(leastOfSorted).isGreaterThanOrEqualTo(least);
    }

    /**
     * Returns the least load of the slowest rank in all divisions of the rows that are left, the heaviest first.
     *
     * @param sorted whether a rank gets its next row only after all others have as many rows
     */
    private static double least(double[] costs, int left, double[] loads, int[] counts, boolean sorted) {
        if (left == 0) {
            return Arrays.stream(loads).max().orElseThrow();
        }
        int most = sorted ? (costs.length - left) / loads.length + 1 : costs.length / loads.length;
        double least = Double.MAX_VALUE;
        for (int rank = 0; rank < loads.length; rank++) {
            if (counts[rank] < most) {
                double load = loads[rank];
                loads[rank] += costs[left - 1];
                counts[rank]++;
                least = Math.min(least, least(costs, left - 1, loads, counts, sorted));
                loads[rank] = load;
                counts[rank]--;
            }
        }
        return least;
    }

    @Test
    void heaviestRowMeetsTheLightestOnes() {
        assertThat(WorkBound.anyDivision(new double[] {1, 2, 9, 3, 2, 2}, 2)).isEqualTo(12);
        assertThat(WorkBound.fastMicroBatches(new double[] {1, 2, 9, 3, 2, 2}, 2))
                .isEqualTo(12);
    }

    @Test
    void oneRankHasTheLightRow() {
        assertThat(WorkBound.anyDivision(new double[] {4, 4, 4, 4, 4, 1}, 3)).isEqualTo(8);
        assertThat(WorkBound.fastMicroBatches(new double[] {4, 4, 4, 4, 4, 1}, 3))
                .isEqualTo(8);
    }

    @Test
    void twoOfThreeHeavyRowsShareARank() {
        assertThat(WorkBound.anyDivision(new double[] {5, 5, 5, 1, 1, 1}, 2)).isEqualTo(11);
    }

    @Test
    void evenRowsHaveTheMean() {
        assertThat(WorkBound.anyDivision(new double[] {8, 7, 6, 5, 4, 3, 2, 1}, 2))
                .isCloseTo(18, within(1e-9));
    }
}
