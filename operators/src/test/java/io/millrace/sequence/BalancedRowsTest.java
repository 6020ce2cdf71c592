package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Order;
import io.millrace.order.Shuffle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BalancedRowsTest {
    /** The share of attention in the work of a model with 7 * 10^9 parameters, a token of context. */
    private static final SequenceCost MODEL = new SequenceCost(1, 1.87e-5);

    @Property(tries = 300)
    void eachRowHasOnePlace(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 20) int ranks,
            @ForAll @IntRange(min = 1, max = 5) int microBatches,
            @ForAll @IntRange(min = 1, max = 20) int each) {
        double[] costs = new Random(seed)
                .doubles((long) ranks * microBatches * each, 0, 100)
                .map(cost -> cost < 20 ? 20 : cost)
                .toArray();
        int[] places = rows(ranks, microBatches, costs.length).arrange(costs);
        assertThat(Arrays.stream(places).sorted())
                .containsExactlyElementsOf(
                        IntStream.range(0, costs.length).boxed().toList());
        assertThat(rows(ranks, microBatches, costs.length).arrange(costs.clone()))
                .isEqualTo(places);
    }

    @Property(tries = 200)
    void noDivisionOfSingleRowsHasFasterMicroBatches(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 9) int ranks,
            @ForAll @IntRange(min = 1, max = 5) int microBatches) {
        int count = ranks * microBatches;
        double[] costs = new Random(seed).doubles(count, 1, 100).toArray();
        WorkRatios arranged =
                WorkRatios.of(costs, rows(ranks, microBatches, count).arrange(costs), ranks, microBatches);
        List<Integer> places = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            Collections.shuffle(places, random);
            int[] other = places.stream().mapToInt(place -> place).toArray();
            assertThat(WorkRatios.of(costs, other, ranks, microBatches).microBatch())
                    .isGreaterThan(arranged.microBatch() - 1e-6);
        }
    }

    @Test
    void heavyRowsMeetLightOnes() {
        double[] costs = {8, 7, 6, 5, 4, 3, 2, 1};
        int[] places = rows(2, 1, 8).arrange(costs);
        assertThat(WorkRatios.of(costs, places, 2, 1)).isEqualTo(new WorkRatios(1, 1, 1, 1));
    }

    @Test
    void similarRowsShareAMicroBatch() {
        double[] costs = {1, 9, 2, 10, 1, 10, 2, 9};
        int[] places = rows(2, 4, 8).arrange(costs);
        WorkRatios ratios = WorkRatios.of(costs, places, 2, 4);
        assertThat(ratios.step()).isEqualTo(1);
        assertThat(ratios.worst()).isEqualTo(1);
    }

    /** Full packs of one global batch in order of arrival have a ratio of 1.25 to 1.4. */
    @Test
    void ratiosOfPacksOfTheWebAreSmall() {
        for (int ranks : new int[] {8, 64, 512}) {
            var batches = WorkRatios.batches(LengthSamples.WEB, 32_768, ranks * 4, 5);
            WorkRatios mean = WorkRatios.simulate(batches, ranks, 4, MODEL, MODEL, true);
            assertThat(mean.microBatch()).as("%d ranks", ranks).isLessThan(1.08);
            assertThat(mean.step()).as("%d ranks", ranks).isLessThan(1.04);
            WorkRatios arrival = WorkRatios.simulate(batches, ranks, 4, MODEL, MODEL, false);
            assertThat(arrival.microBatch()).as("%d ranks", ranks).isGreaterThan(1.2);
        }
    }

    @Test
    void ratiosWithSeveralRowsEachAreSmaller() {
        for (int ranks : new int[] {8, 64, 512}) {
            var batches = WorkRatios.batches(LengthSamples.WEB, 8192, ranks * 8, 5);
            WorkRatios mean = WorkRatios.simulate(batches, ranks, 2, MODEL, MODEL, true);
            assertThat(mean.microBatch()).as("%d ranks", ranks).isLessThan(1.01);
            assertThat(mean.step()).as("%d ranks", ranks).isLessThan(1.01);
        }
    }

    @Test
    void exchangesMakeTheWorkMoreEven() {
        // 1.021 without exchanges, 1.011 with those of pairs of ranks alone
        var batches = WorkRatios.batches(LengthSamples.FILES, 32_768, 256, 20);
        WorkRatios mean = WorkRatios.simulate(batches, 64, 1, MODEL, MODEL, true);
        assertThat(mean.step()).isLessThan(1.008);
    }

    @Test
    void workIsCloseToTheBestPossible() {
        for (LengthSamples documents : LengthSamples.values()) {
            int steps = 50;
            double distance = 0;
            for (List<List<Slice>> packs : WorkRatios.batches(documents, 32_768, 32, steps)) {
                double[] costs = packs.stream().mapToDouble(MODEL::of).toArray();
                double best =
                        WorkBound.anyDivision(costs, 8) / (Arrays.stream(costs).sum() / 8);
                WorkRatios ratios = WorkRatios.of(costs, rows(8, 1, 32).arrange(costs), 8, 1);
                assertThat(ratios.step()).as("%s", documents).isBetween(best - 1e-9, best + 0.02);
                distance += (ratios.step() - best) / steps;
            }
            // 0.0045 with exchanges of pairs of ranks alone
            assertThat(distance).as("%s", documents).isLessThan(0.003);
        }
    }

    @Property(tries = 200)
    void exchangesNeverMakeTheSlowestRankSlower(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 70) int ranks,
            @ForAll @IntRange(min = 1, max = 20) int each,
            @ForAll @IntRange(min = 1, max = 9) int spread) {
        double[] costs = new Random(seed)
                .doubles((long) ranks * each)
                .map(draw -> Math.rint(1 + 1000 * Math.pow(draw, spread)))
                .toArray();
        WorkRatios arranged = WorkRatios.of(costs, rows(ranks, 1, costs.length).arrange(costs), ranks, 1);
        double mean = Arrays.stream(costs).sum() / ranks;
        assertThat(arranged.step() * mean).isLessThan(heaviestFirst(costs, ranks) + 1e-6);
    }

    /** Returns the load of the slowest rank if the lightest rank gets the heaviest row that is left, one row for each rank in turn. */
    private static double heaviestFirst(double[] costs, int ranks) {
        double[] rows = Arrays.stream(costs).sorted().toArray();
        double[] loads = new double[ranks];
        for (int next = rows.length; next > 0; next -= ranks) {
            Arrays.sort(loads);
            for (int rank = 0; rank < ranks; rank++) {
                loads[rank] += rows[next - 1 - rank];
            }
        }
        return Arrays.stream(loads).max().orElseThrow();
    }

    @Test
    void batchThatIsNotFullKeepsItsOrder() {
        assertThat(rows(2, 2, 8).arrange(new double[] {3, 1, 2})).containsExactly(0, 1, 2);
    }

    @Test
    void rowsWithoutCostAreDividedEvenly() {
        assertThat(Arrays.stream(rows(4, 2, 16).arrange(new double[16])).sorted())
                .containsExactlyElementsOf(IntStream.range(0, 16).boxed().toList());
    }

    @Test
    void badValuesAreRefused() {
        assertThatThrownBy(() -> rows(3, 2, 8))
                .hasMessage("a batch of 8 rows cannot be divided evenly among 3 ranks with 2 micro-batches each");
        assertThatThrownBy(() -> rows(0, 2, 8)).hasMessageContaining("among 0 ranks");
        BalancedRows bad = new BalancedRows(1, 1, 2, row -> Double.NaN);
        EpochOrder order = new EpochOrder(0, 2, Shuffle.NONE);
        assertThatThrownBy(() -> bad.arrange(0, 0, new Order.Pick[] {order.at(0, 0), order.at(0, 1)}))
                .hasMessage("expected a cost of 0 or more for Pick[source=0, round=0, index=0], found NaN");
        assertThatThrownBy(() -> new SequenceCost(1, -1)).hasMessageContaining("found 1.0 and -1.0");
    }

    private static BalancedRows rows(int ranks, int microBatches, int batch) {
        return new BalancedRows(ranks, microBatches, batch, row -> row.index());
    }
}
