package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Split;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the computed uses of samples with those found by looking at every row of a run. */
class SampleUsesTest {
    private static final Shuffle BLOCKS = new Shuffle.Blocks(7, 3);

    @ParameterizedTest
    @CsvSource({"true, 1, 0", "false, 1, 0", "true, 2, 5", "false, 3, 11"})
    void theUsesOfEachSampleOfADatasetAreThoseOfAWholeScan(boolean dropLast, int every, int evaluation) {
        for (Shuffle shuffle : List.of(Shuffle.NONE, Shuffle.FULL, BLOCKS)) {
            for (long size : new long[] {10, 53, 300}) {
                EpochOrder order = new EpochOrder(7, size, shuffle);
                requireSameUses(new BatchPlan(size, 4, dropLast, 4, evaluation, every), order, new long[] {size});
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "16, 5"})
    void theUsesOfEachSampleOfAMixtureAreThoseOfAWholeScan(int jitter, int evaluation) {
        for (Shuffle shuffle : List.of(Shuffle.NONE, Shuffle.FULL)) {
            MixtureOrder order = mixture(40, jitter, shuffle);
            BatchPlan plan = new BatchPlan(40, 4, false, 5, evaluation, 2);
            requireSameUses(plan, order, new long[] {30, 12, 7});
            SkippedSteps skipped = SkippedSteps.NONE.and(3, 4).and(10, 19);
            requireSameUses(plan, new SkippingOrder(order, skipped, 40, 4), new long[] {30, 12, 7});
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 8", "false, 8", "true, 12", "false, 7", "true, 500"})
    void theUsesOfRearrangedSamplesAreThoseOfAWholeScan(boolean dropLast, int window) {
        for (long size : new long[] {10, 53, 300}) {
            Order order = new Backwards(new EpochOrder(7, size, Shuffle.FULL), window);
            requireSameUses(new BatchPlan(size, 4, dropLast, 4, 0, 1), order, new long[] {size});
        }
        BatchPlan plan = new BatchPlan(40, 4, dropLast, 5, 3, 2);
        Order mixed = new Backwards(mixture(40, 4, Shuffle.FULL), window);
        requireSameUses(plan, mixed, new long[] {30, 12, 7});
        SkippedSteps skipped = SkippedSteps.NONE.and(3, 4).and(10, 19);
        requireSameUses(plan, new SkippingOrder(mixed, skipped, 40, 4), new long[] {30, 12, 7});
    }

    @Test
    void aSampleOfAFarStepOfAnEndlessRearrangedRunIsFoundByItsWindow() {
        List<Long> found = new ArrayList<>();
        EpochOrder whole = new EpochOrder(7, 1L << 36, Shuffle.FULL);
        BatchPlan plan = new BatchPlan(whole.size(), 4, false, BatchPlan.ENDLESS, 0, 1);
        new SampleUses(plan, new Backwards(whole, 8))
                .find(new Sources.Place(0, 9), 0, 3 * plan.stepsPerEpoch() - 1, found::add);

        assertThat(found).hasSize(3);
        for (int epoch = 0; epoch < 3; epoch++) {
            BatchPlan.Place place = plan.place(found.get(epoch));
            assertThat(new Backwards(whole, 8).at(place.epoch(), place.i())).isEqualTo(new Order.Pick(0, epoch, 9));
        }
    }

    @Test
    void severalSamplesThatDifferInEachRoundAreFoundInAscendingOrder() {
        EpochOrder order = new EpochOrder(7, 30, Shuffle.FULL);
        BatchPlan plan = new BatchPlan(30, 4, true, 4, 0, 1);
        List<Long> found = new ArrayList<>();
        new SampleUses(plan, order)
                .find(0, 30, round -> new long[] {round, round + 9, 29}, 0, plan.steps() - 1, found::add);

        List<Long> expected = new ArrayList<>();
        for (int epoch = 0; epoch < 4; epoch++) {
            for (long i = 0; i < 28; i++) {
                long index = order.index(epoch, i);
                if (index == epoch || index == epoch + 9 || index == 29) {
                    expected.add(plan.epochStart(epoch) + i);
                }
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void samplesThatAreNumberedOverAllRoundsAreFoundInEachOfThem() {
        MixtureOrder order = new MixtureOrder(
                7,
                20,
                MixturePlan.of("text").mixture(List.of("text"), 4, 1, 7),
                List.of(new MixtureOrder.Source(Sources.ENDLESS, Shuffle.NONE)));
        BatchPlan plan = new BatchPlan(20, 4, true, 4, 0, 1);
        List<Long> found = new ArrayList<>();
        List<Long> within = new ArrayList<>();
        SampleUses uses = new SampleUses(plan, order);
        uses.find(0, 30, round -> new long[] {5L + round}, 0, plan.steps() - 1, found::add);
        uses.find(0, 30, round -> new long[] {5L + round}, 2, 9, within::add);

        assertThat(found).containsExactly(5L, 36L, 67L);
        assertThat(within).containsExactly(36L);
    }

    @Test
    void aSampleOfAnotherOrderIsFoundByLookingAtEveryRow() {
        Order twice = new TwiceEach(new EpochOrder(3, 12, Shuffle.FULL));

        requireSameUses(new BatchPlan(24, 5, false, 3, 0, 1), twice, new long[] {12});
    }

    @Test
    void aSampleIsFoundInAFarRangeOfAnEndlessRun() {
        MixtureOrder order = mixture(4000, 1, Shuffle.FULL);
        BatchPlan plan = new BatchPlan(4000, 4, false, BatchPlan.ENDLESS, 0, 1);
        List<Long> found = new ArrayList<>();
        new SampleUses(plan, order).find(new Sources.Place(1, 9), 1_000_000_000L, 1_000_000_999L, found::add);

        assertThat(found).hasSizeBetween(80, 120); // 4,000 rows, of which 30 % are of 12 samples
        for (long position : found) {
            BatchPlan.Place place = plan.place(position);
            Order.Pick pick = order.at(place.epoch(), place.i());
            assertThat(pick.source()).isEqualTo(1);
            assertThat(pick.index()).isEqualTo(9);
        }
    }

    /** An order that has each window of another one backwards. */
    private record Backwards(Order original, int window) implements RearrangedOrder {
        private static final long serialVersionUID = 1;

        @Override
        public long seed() {
            return original.seed();
        }

        @Override
        public long size() {
            return original.size();
        }

        @Override
        public Pick at(int epoch, long i) {
            return original.at(epoch, place(epoch, i));
        }

        @Override
        public long place(int epoch, long i) {
            long first = i - i % window;
            return first + Math.min(window, size() - first) - 1 - i % window;
        }

        @Override
        public long[] counts(long places) {
            throw new UnsupportedOperationException("not needed");
        }
    }

    /** An order with each sample twice in a row, as one with replacement may have it. */
    private record TwiceEach(EpochOrder once) implements Order {
        private static final long serialVersionUID = 1;

        @Override
        public long seed() {
            return once.seed();
        }

        @Override
        public long size() {
            return 2 * once.size();
        }

        @Override
        public Pick at(int epoch, long i) {
            return once.at(epoch, i / 2);
        }
    }

    private static MixtureOrder mixture(long size, int jitter, Shuffle shuffle) {
        Map<String, String> first = new LinkedHashMap<>();
        first.put("a", "0.7");
        first.put("b", "0.3");
        MixturePlan plan = new MixturePlan(List.of(
                new MixturePlan.Phase(13, Map.of("a", "1"), 0),
                new MixturePlan.Phase(12, Map.of("a", "0.5", "c", "0.5"), 4),
                new MixturePlan.Phase(MixturePlan.OPEN, first, 0)));
        return new MixtureOrder(
                11,
                size,
                plan.mixture(List.of("a", "b", "c"), 4, jitter, 11),
                List.of(
                        new MixtureOrder.Source(30, shuffle),
                        new MixtureOrder.Source(12, shuffle),
                        new MixtureOrder.Source(7, shuffle)));
    }

    private static void requireSameUses(BatchPlan plan, Order order, long[] sizes) {
        Map<Sources.Place, List<Long>> all = new LinkedHashMap<>();
        for (long step = 0; step < plan.steps(); step++) {
            BatchPlan.Batch batch = plan.batchOfStep(step);
            assertThat(batch.split()).isEqualTo(Split.TRAIN);
            assertThat(batch.step()).isEqualTo(step);
            for (long position = batch.firstPosition(); position < batch.firstPosition() + batch.rows(); position++) {
                BatchPlan.Place place = plan.place(position);
                Order.Pick pick = order.at(place.epoch(), place.i());
                all.computeIfAbsent(new Sources.Place(pick.source(), pick.index()), absent -> new ArrayList<>())
                        .add(position);
            }
        }
        SampleUses uses = new SampleUses(plan, order);
        for (int source = 0; source < sizes.length; source++) {
            for (long index = 0; index < sizes[source]; index++) {
                Sources.Place sample = new Sources.Place(source, index);
                List<Long> expected = all.getOrDefault(sample, List.of());
                assertThat(found(uses, sample, 0, plan.steps() - 1))
                        .as("%s in %s", sample, order)
                        .isEqualTo(expected);
                long first = plan.batchOfStep(2).firstPosition();
                BatchPlan.Batch last = plan.batchOfStep(4);
                assertThat(found(uses, sample, 2, 4))
                        .isEqualTo(expected.stream()
                                .filter(position -> position >= first && position < last.firstPosition() + last.rows())
                                .toList());
            }
        }
    }

    private static List<Long> found(SampleUses uses, Sources.Place sample, long first, long last) {
        List<Long> found = new ArrayList<>();
        uses.find(sample, first, last, found::add);
        return found;
    }
}
