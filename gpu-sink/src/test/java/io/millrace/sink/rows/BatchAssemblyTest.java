package io.millrace.sink.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.order.RankRows;
import io.millrace.order.Tail;
import io.millrace.sample.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchAssemblyTest {
    private static final BatchSpec ROWS = new BatchSpec(List.of(new BatchSpec.Column("x", DType.UINT8, List.of(1))));

    private final HostDevice device = new HostDevice();
    private final Handles memory = new Handles();

    @AfterEach
    void close() {
        memory.close();
        device.close();
    }

    private BatchAssembly assembly(RankPlan plan, int size) {
        List<DeviceBatch> ring = Stream.generate(() -> memory.add(device.allocate(ROWS, plan.batch())))
                .limit(size)
                .toList();
        return new BatchAssembly(plan, ring, 0);
    }

    private static RankPlan single(int size, int batch) {
        return RankPlan.single(new BatchPlan(size, batch, false, 1, 0, 1));
    }

    private static void arrive(BatchAssembly assembly, RankPlan plan, long number, int row) {
        BatchPlan.Batch batch = plan.batch(number);
        assembly.fill(batch).filling().place(row, batch.firstPosition() + row, row, 0);
    }

    @Property(tries = 300)
    void rowsInAnyOrderWithinAWindowMakeAllBatchesInOrder(
            @ForAll @IntRange(min = 1, max = 60) int size,
            @ForAll @IntRange(min = 1, max = 9) int batch,
            @ForAll @IntRange(min = 0, max = 20) int evaluation,
            @ForAll @IntRange(min = 2, max = 5) int ring,
            @ForAll @IntRange(min = 1, max = 40) int window,
            @ForAll long seed) {
        RankPlan plan = RankPlan.single(new BatchPlan(size, batch, false, 3, evaluation, 1));
        try (Handles batches = new Handles()) {
            BatchAssembly assembly = new BatchAssembly(
                    plan,
                    Stream.generate(() -> batches.add(device.allocate(ROWS, batch)))
                            .limit(ring)
                            .toList(),
                    0);
            requireAllBatchesInOrder(plan, assembly, ring, window, new Random(seed));
        }
    }

    private static void requireAllBatchesInOrder(
            RankPlan plan, BatchAssembly assembly, int ring, int window, Random random) {
        Map<Long, List<Long>> parked = new TreeMap<>();
        List<Long> taken = new ArrayList<>();
        Deque<DeviceBatch> inTraining = new ArrayDeque<>();
        for (long position : shuffledWithin(window, plan.batch(plan.batches() - 1), random)) {
            long number = plan.batchNumber(position);
            if (assembly.canFill(number)) {
                arrive(assembly, plan, number, row(plan, position));
            } else {
                parked.computeIfAbsent(number, b -> new ArrayList<>()).add(position);
            }
            takeAll(assembly, taken, inTraining);
            if (!inTraining.isEmpty() && (random.nextBoolean() || !assembly.nextIsInRing())) {
                train(plan, assembly, ring, parked, taken, inTraining);
            }
        }
        while (!inTraining.isEmpty()) {
            train(plan, assembly, ring, parked, taken, inTraining);
        }

        assertThat(taken).hasSize((int) plan.batches()).isSorted().doesNotHaveDuplicates();
        assertThat(parked).isEmpty();
        assertThat(assembly.waitingRows()).isZero();
    }

    private static void train(
            RankPlan plan,
            BatchAssembly assembly,
            int ring,
            Map<Long, List<Long>> parked,
            List<Long> taken,
            Deque<DeviceBatch> inTraining) {
        DeviceBatch done = inTraining.remove();
        long freed = done.number() + ring;
        assertThat(assembly.isInRing(freed)).isFalse();
        done.seal();
        done.beginUse();
        done.endUse();
        assembly.trained();
        assertThat(assembly.isInRing(freed)).isTrue();
        assertThat(assembly.entry(freed)).isSameAs(done);
        List<Long> waiting = parked.remove(freed);
        if (waiting != null) {
            waiting.forEach(position -> arrive(assembly, plan, freed, row(plan, position)));
        }
        takeAll(assembly, taken, inTraining);
    }

    private static void takeAll(BatchAssembly assembly, List<Long> taken, Deque<DeviceBatch> inTraining) {
        while (assembly.nextIsComplete()) {
            DeviceBatch batch = assembly.take();
            taken.add(batch.number());
            inTraining.add(batch);
        }
    }

    private static int row(RankPlan plan, long position) {
        return (int) (position - plan.batch(plan.batchNumber(position)).firstPosition());
    }

    private static List<Long> shuffledWithin(int window, BatchPlan.Batch last, Random random) {
        long positions = last.firstPosition() + last.rows();
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
        RankPlan plan = single(10, 4);
        BatchAssembly assembly = assembly(plan, 2);
        arrive(assembly, plan, 0, 3);

        assertThatThrownBy(() -> arrive(assembly, plan, 0, 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("row 3 of batch 0 arrived twice: samples 3 and 3");
    }

    @Test
    void rowOfACompleteBatchIsRefused() {
        RankPlan plan = single(4, 1);
        BatchAssembly assembly = assembly(plan, 2);
        arrive(assembly, plan, 0, 0);
        assembly.take();

        assertThatThrownBy(() -> arrive(assembly, plan, 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a row of batch 0 arrived after all rows of that batch had arrived");
    }

    @Test
    void batchBeyondTheRingHasNoEntryUntilTheOldestIsTrainedOn() {
        RankPlan plan = single(4, 1);
        BatchAssembly assembly = assembly(plan, 2);
        assertThat(assembly.isInRing(2)).isFalse();
        arrive(assembly, plan, 0, 0);
        assembly.take();
        assertThat(assembly.isInRing(2)).isFalse();

        assembly.trained();
        assertThat(assembly.isInRing(2)).isTrue();
        assertThat(assembly.isInRing(3)).isFalse();
    }

    @Test
    void awaitedPositionsAreThoseWhoseRowsHaveNotArrived() {
        RankPlan plan = single(12, 4);
        BatchAssembly assembly = assembly(plan, 2);
        assertThat(assembly.awaited(3)).containsExactly(0L, 1L, 2L);
        arrive(assembly, plan, 0, 1);
        assertThat(assembly.awaited(5)).containsExactly(0L, 2L, 3L);
        arrive(assembly, plan, 1, 0);
        assertThat(assembly.waitingRows()).isEqualTo(2);
    }

    @Test
    void batchesWithoutRowsAreCompleteAndWaitOnlyForTheirTurn() {
        // 5 samples in global batches of 2 x 3: rank 1 has rows 3 and 4; 3 evaluation samples: it has none.
        RankPlan plan = new RankPlan(new RankRows(new BatchPlan(5, 6, false, 2, 3, 1), 2, Tail.FIRST_RANKS), 1);
        BatchAssembly assembly = assembly(plan, 2);

        assertThat(assembly.nextIsComplete()).isFalse();
        arrive(assembly, plan, 0, 0);
        arrive(assembly, plan, 0, 1);
        assertThat(assembly.take().number()).isZero();
        assertThat(assembly.nextIsComplete()).as("the empty evaluation batch").isTrue();
        assertThat(assembly.take().number()).isEqualTo(1);
        assertThat(assembly.nextIsComplete()).as("no ring entry is free").isFalse();
        assembly.trained();
        assertThat(assembly.nextIsComplete()).as("batch 2 needs rows").isFalse();

        assembly.reset(1);
        assertThat(assembly.nextIsComplete()).as("held").isFalse();
        assembly.open();
        assertThat(assembly.nextIsComplete()).isTrue();
    }
}
