package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.order.RankRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BatchAssemblyTest {
    @Property(tries = 300)
    void anyOrderWithinAWindowGivesAllBatchesInOrderAndNothingIsLeft(
            @ForAll @IntRange(min = 1, max = 60) int size,
            @ForAll @IntRange(min = 1, max = 9) int batch,
            @ForAll @IntRange(min = 0, max = 20) int evaluation,
            @ForAll @IntRange(min = 2, max = 5) int slots,
            @ForAll @IntRange(min = 1, max = 40) int window,
            @ForAll long seed) {
        BatchPlan plan = new BatchPlan(size, batch, false, 3, evaluation, 1);
        BatchAssembly assembly = new BatchAssembly(RankPlan.single(plan), slots, 0);
        Map<Long, List<Long>> parked = new TreeMap<>();
        List<Long> taken = new ArrayList<>();
        Deque<Long> inTraining = new ArrayDeque<>();
        Random random = new Random(seed);
        for (long position : shuffledWithin(window, plan.positions(), random)) {
            long number = plan.batchNumber(position);
            if (assembly.hasSlot(number)) {
                assembly.arrive(number, row(plan, position));
            } else {
                parked.computeIfAbsent(number, b -> new ArrayList<>()).add(position);
            }
            takeAll(assembly, taken, inTraining);
            if (!inTraining.isEmpty() && (random.nextBoolean() || !assembly.nextHasSlot())) {
                train(plan, assembly, parked, taken, inTraining);
            }
        }
        while (!inTraining.isEmpty()) {
            train(plan, assembly, parked, taken, inTraining);
        }

        assertThat(taken).hasSize((int) plan.batches()).isSorted().doesNotHaveDuplicates();
        assertThat(parked).isEmpty();
        assertThat(assembly.waitingRows()).isZero();
    }

    private static void train(
            BatchPlan plan,
            BatchAssembly assembly,
            Map<Long, List<Long>> parked,
            List<Long> taken,
            Deque<Long> inTraining) {
        long done = inTraining.remove();
        long freed = assembly.trained();
        assertThat(assembly.slot(freed)).isEqualTo(assembly.slot(done));
        List<Long> waiting = parked.remove(freed);
        if (waiting != null) {
            waiting.forEach(position -> assembly.arrive(freed, row(plan, position)));
        }
        takeAll(assembly, taken, inTraining);
    }

    private static void takeAll(BatchAssembly assembly, List<Long> taken, Deque<Long> inTraining) {
        while (assembly.nextIsWhole()) {
            long number = assembly.take();
            taken.add(number);
            inTraining.add(number);
        }
    }

    private static int row(BatchPlan plan, long position) {
        return (int) (position - plan.batch(plan.batchNumber(position)).firstPosition());
    }

    private static List<Long> shuffledWithin(int window, long positions, Random random) {
        List<Long> pool = new ArrayList<>();
        List<Long> order = new ArrayList<>();
        for (long next = 0; next < positions || !pool.isEmpty(); ) {
            while (pool.size() < window && next < positions) {
                pool.add(next++);
            }
            order.add(pool.remove(random.nextInt(pool.size())));
        }
        return order;
    }

    @Test
    void rowThatArrivesTwiceIsRefused() {
        BatchAssembly assembly = new BatchAssembly(RankPlan.single(new BatchPlan(10, 4, false, 1, 0, 1)), 2, 0);
        assembly.arrive(0, 3);

        assertThatThrownBy(() -> assembly.arrive(0, 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("row 3 of batch 0 arrived twice");
    }

    @Test
    void batchBeyondTheRingHasNoSlotUntilTheOldestIsTrainedOn() {
        BatchAssembly assembly = new BatchAssembly(RankPlan.single(new BatchPlan(4, 1, false, 1, 0, 1)), 2, 0);
        assertThat(assembly.hasSlot(2)).isFalse();
        assembly.arrive(0, 0);
        assembly.take();
        assertThat(assembly.hasSlot(2)).isFalse();

        assertThat(assembly.trained()).isEqualTo(2);
        assertThat(assembly.hasSlot(2)).isTrue();
    }

    @Test
    void batchesWithoutRowsAreWholeAndWaitForTheirTurnAlone() {
        // 5 samples in global batches of 2 x 3: rank 1 has rows 3 and 4; 3 evaluation samples: it has none.
        RankPlan plan = new RankPlan(new RankRows(new BatchPlan(5, 6, false, 2, 3, 1), 2), 1);
        BatchAssembly assembly = new BatchAssembly(plan, 2, 0);

        assertThat(assembly.nextIsWhole()).isFalse();
        assembly.arrive(0, 0);
        assembly.arrive(0, 1);
        assertThat(assembly.take()).isZero();
        assertThat(assembly.nextIsWhole()).as("the empty evaluation batch").isTrue();
        assertThat(assembly.take()).isEqualTo(1);
        assertThat(assembly.nextIsWhole()).as("no slot is free").isFalse();
        assembly.trained();
        assertThat(assembly.nextIsWhole()).as("batch 2 needs rows").isFalse();
    }
}
