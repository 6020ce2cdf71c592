package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.BatchPlan.Batch;
import io.millrace.order.BatchPlan.Place;
import io.millrace.sample.Split;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BatchPlanTest {
    @Property
    void formulasAgreeWithCountingPositionByPosition(@ForAll("smallPlans") BatchPlan plan) {
        Walk walk = new Walk(plan);
        for (int epoch = 0; epoch < plan.epochs(); epoch++) {
            walk.split(epoch, Split.TRAIN, plan.dropLast() ? plan.size() / plan.batch() * plan.batch() : plan.size());
            if ((epoch + 1) % plan.evaluateEvery() == 0) {
                walk.split(epoch, Split.EVALUATE, plan.evaluationSize());
            }
        }
        assertThat(plan.positions()).isEqualTo(walk.position);
        assertThat(plan.batches()).isEqualTo(walk.number);
        assertThat(plan.stepsPerEpoch() * plan.epochs()).isEqualTo(walk.step);
        assertThatThrownBy(() -> plan.place(walk.position)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> plan.batch(walk.number)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void firstPositionOfAMissingEvaluationIsRefused() {
        BatchPlan plan = new BatchPlan(10, 4, false, 4, 3, 2);
        assertThat(plan.firstPosition(1, Split.EVALUATE)).isEqualTo(20);
        assertThatThrownBy(() -> plan.firstPosition(2, Split.EVALUATE))
                .hasMessage("there is no evaluation after epoch 2: the run evaluates after every 2 epochs");
        assertThatThrownBy(() -> plan.firstPosition(4, Split.TRAIN)).hasMessage("epoch 4 is not in 0 to 3");
    }

    @Test
    void endlessRunIsContinuedOnlyWhereItsBatchesHaveNumbers() {
        for (long size : new long[] {1, 4, 6, 60_000, 1L << 31, 1L << 40}) {
            BatchPlan endless = new BatchPlan(size, 4, false, BatchPlan.ENDLESS, 0, 1);
            long last = endless.lastStart();
            assertThat(last).isGreaterThan(1L << 29);
            // Batches are read ahead.
            assertThat(endless.batch(last + (1 << 28)).step()).isEqualTo(last + (1 << 28));
            assertThatThrownBy(() -> endless.batch(Long.MAX_VALUE / 2)).isInstanceOf(ArithmeticException.class);
        }
        assertThat(new BatchPlan(10, 4, false, 3, 0, 1).lastStart()).isEqualTo(9);
    }

    /** A walk through the run that checks the plan at each position. */
    private static final class Walk {
        private final BatchPlan plan;
        private long position;
        private long number;
        private long step;

        Walk(BatchPlan plan) {
            this.plan = plan;
        }

        void split(int epoch, Split split, long samples) {
            if (samples > 0) {
                assertThat(plan.firstPosition(epoch, split)).isEqualTo(position);
            }
            for (long first = 0; first < samples; first += plan.batch()) {
                int rows = (int) Math.min(plan.batch(), samples - first);
                boolean last = first + rows == samples;
                assertThat(plan.batch(number)).isEqualTo(new Batch(number, epoch, split, step, position, rows, last));
                for (int row = 0; row < rows; row++) {
                    assertThat(plan.place(position)).isEqualTo(new Place(epoch, split, first + row));
                    assertThat(plan.batchNumber(position)).isEqualTo(number);
                    position++;
                }
                number++;
                step += split == Split.TRAIN ? 1 : 0;
            }
        }
    }

    @Property
    void batchesCoverAnyRunWithoutGaps(
            @ForAll("plans") BatchPlan plan, @ForAll @LongRange(max = Long.MAX_VALUE - 1) long anywhere) {
        // An endless run of tiny epochs has more epochs than an int can count, so the test stays below that number.
        long reachable = plan.positions();
        if (plan.epochs() == BatchPlan.ENDLESS) {
            boolean huge = plan.trainSamples() >= 1L << 31;
            reachable = huge ? 1L << 62 : plan.trainSamples() * (Integer.MAX_VALUE - 2L);
        }
        long position = anywhere % reachable;
        Batch batch = plan.batch(plan.batchNumber(position));
        Place place = plan.place(position);

        assertThat(position).isBetween(batch.firstPosition(), batch.firstPosition() + batch.rows() - 1);
        assertThat(place.epoch()).isEqualTo(batch.epoch());
        assertThat(place.split()).isEqualTo(batch.split());
        long row = position - batch.firstPosition();
        assertThat(place.i() % plan.batch()).isEqualTo(row);
        assertThat(plan.batchNumber(batch.firstPosition())).isEqualTo(batch.number());
        assertThat(batch.step() / plan.stepsPerEpoch())
                .isEqualTo(batch.split() == Split.TRAIN ? batch.epoch() : batch.epoch() + 1L);
        long end = batch.firstPosition() + batch.rows();
        if (end < plan.positions()) {
            assertThat(plan.batchNumber(end)).isEqualTo(batch.number() + 1);
            assertThat(plan.batch(batch.number() + 1).firstPosition()).isEqualTo(end);
        } else {
            assertThat(plan.batches()).isEqualTo(batch.number() + 1);
        }
    }

    @Provide
    Arbitrary<BatchPlan> smallPlans() {
        return plans(
                Arbitraries.longs().between(1, 40),
                Arbitraries.integers().between(1, 45),
                Arbitraries.integers().between(1, 7),
                Arbitraries.longs().between(0, 30),
                Arbitraries.integers().between(1, 9));
    }

    @Provide
    Arbitrary<BatchPlan> plans() {
        return plans(
                Arbitraries.longs().between(1, Permutation.MAX_SIZE),
                Arbitraries.integers().between(1, Integer.MAX_VALUE),
                Arbitraries.oneOf(Arbitraries.integers().between(1, 1 << 20), Arbitraries.just(BatchPlan.ENDLESS)),
                Arbitraries.longs().between(0, Permutation.MAX_SIZE),
                Arbitraries.integers().between(1, Integer.MAX_VALUE));
    }

    private static Arbitrary<BatchPlan> plans(
            Arbitrary<Long> size,
            Arbitrary<Integer> batch,
            Arbitrary<Integer> epochs,
            Arbitrary<Long> evaluationSize,
            Arbitrary<Integer> evaluateEvery) {
        return Combinators.combine(size, batch, Arbitraries.of(true, false), epochs, evaluationSize, evaluateEvery)
                .as((s, b, drop, e, v, every) -> new BatchPlan(s, b, drop && b <= s, e, v, every));
    }

    @Test
    void endlessRunWithoutEvaluationCountsEpochTimesSize() {
        BatchPlan plan = new BatchPlan(60_000, 64, false, BatchPlan.ENDLESS, 0, 1);

        assertThat(plan.positions()).isEqualTo(Long.MAX_VALUE);
        assertThat(plan.batches()).isEqualTo(Long.MAX_VALUE);
        assertThat(plan.stepsPerEpoch()).isEqualTo(938);
        assertThat(plan.place(1_000_000L * 60_000 + 17)).isEqualTo(new Place(1_000_000, Split.TRAIN, 17));
        assertThat(plan.batch(937)).isEqualTo(new Batch(937, 0, Split.TRAIN, 937, 937 * 64L, 32, true));
        assertThat(plan.batch(938)).isEqualTo(new Batch(938, 1, Split.TRAIN, 938, 60_000, 64, false));
    }

    @Test
    void evaluationFollowsEveryNthEpochOnly() {
        BatchPlan plan = new BatchPlan(10, 4, true, 5, 6, 2);

        // Epochs of 8 positions, evaluations of 6 after epochs 1 and 3, none after epoch 4.
        assertThat(plan.positions()).isEqualTo(5 * 8 + 2 * 6);
        assertThat(plan.batches()).isEqualTo(5 * 2 + 2 * 2);
        assertThat(plan.place(15)).isEqualTo(new Place(1, Split.TRAIN, 7));
        assertThat(plan.place(16)).isEqualTo(new Place(1, Split.EVALUATE, 0));
        assertThat(plan.batch(5)).isEqualTo(new Batch(5, 1, Split.EVALUATE, 4, 20, 2, true));
        assertThat(plan.place(22)).isEqualTo(new Place(2, Split.TRAIN, 0));
        assertThat(plan.place(51)).isEqualTo(new Place(4, Split.TRAIN, 7));
    }

    @Test
    void endlessRunFailsBeyondTheLargestNumbers() {
        BatchPlan tiny = new BatchPlan(1, 1, false, BatchPlan.ENDLESS, 0, 1);
        assertThatThrownBy(() -> tiny.place(1L << 31)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> tiny.batch(1L << 31)).isInstanceOf(ArithmeticException.class);

        BatchPlan large = new BatchPlan(Permutation.MAX_SIZE, Integer.MAX_VALUE, false, BatchPlan.ENDLESS, 0, 1);
        assertThatThrownBy(() -> large.batch((1L << 24) * large.stepsPerEpoch()))
                .isInstanceOf(ArithmeticException.class);
    }

    @Test
    void badArgumentsAreRefusedWithTheirValue() {
        assertRefused("dataset size 0 is not in 1 to", 0, 1, 1, 0, 1);
        assertRefused("dataset size 1099511627777 is not in", (1L << 40) + 1, 1, 1, 0, 1);
        assertRefused("batch size 0 is not in 1 to", 1, 0, 1, 0, 1);
        assertRefused("number of epochs 0 is not in 1 to", 1, 1, 0, 0, 1);
        assertRefused("evaluation dataset size -1 is not in 0 to", 1, 1, 1, -1, 1);
        assertRefused("from one evaluation to the next 0 is not in 1 to", 1, 1, 1, 0, 0);
        assertRefused("more than 2^63 - 1 samples", 1L << 40, 1, 1 << 23, 0, 1);
        assertRefused("more than 2^63 - 1 samples", 1L << 40, 1, 1 << 22, 1L << 40, 1);
        assertThatThrownBy(() -> new BatchPlan(10, 64, true, 1, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a batch of 64 rows is never full with a dataset of 10 samples")
                .hasMessageContaining("nothing would be trained");
    }

    @Test
    void positionsOutsideTheRunAreRefused() {
        BatchPlan plan = new BatchPlan(10, 4, false, 1, 0, 1);

        assertThatThrownBy(() -> plan.place(-1)).hasMessage("position -1 is not in 0 to 9");
        assertThatThrownBy(() -> plan.batchNumber(10)).hasMessage("position 10 is not in 0 to 9");
        assertThatThrownBy(() -> plan.batch(3)).hasMessage("batch number 3 is not in 0 to 2");
    }

    private static void assertRefused(
            String message, long size, int batch, int epochs, long evaluationSize, int evaluateEvery) {
        assertThatThrownBy(() -> new BatchPlan(size, batch, false, epochs, evaluationSize, evaluateEvery))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theFirstStepFromAPositionHasNoRowBeforeIt() {
        BatchPlan plan = new BatchPlan(10, 4, false, 2, 3, 1); // steps of 4, 4 and 2 rows, then an evaluation of 3
        assertThat(plan.firstStepFrom(0)).isZero();
        assertThat(plan.firstStepFrom(1)).isEqualTo(1);
        assertThat(plan.firstStepFrom(4)).isEqualTo(1);
        assertThat(plan.firstStepFrom(9)).isEqualTo(3);
        assertThat(plan.firstStepFrom(11)).isEqualTo(3);
        assertThat(plan.firstStepFrom(13)).isEqualTo(3);
        assertThat(plan.firstStepFrom(14)).isEqualTo(4);
        assertThat(plan.firstStepFrom(26)).as("after the end").isEqualTo(6);
        assertThat(plan.firstStepFrom(31)).isEqualTo(8);
    }
}
