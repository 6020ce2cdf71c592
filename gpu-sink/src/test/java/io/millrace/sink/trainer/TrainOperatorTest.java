package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.FakeStep;
import io.millrace.sink.ReceivedRows;
import io.millrace.sink.spec.RingSpec;
import io.millrace.sink.spec.RunSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainerSpec;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainOperatorTest {
    private static final BatchSpec ROWS =
            new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(2, 3, 1))));

    @TempDir
    Path folder;

    private BufferAllocator allocator;

    @BeforeEach
    void setUp() {
        FakeStep.SEEN.clear();
        allocator = new RootAllocator();
    }

    @AfterEach
    void nothingIsLeaked() {
        allocator.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void rowsInAnyOrderAreTrainedOnInTheOrderOfTheirPositions() throws Exception {
        BatchPlan plan = new BatchPlan(50, 8, false, 2, 0, 1);
        List<Long> positions =
                new ArrayList<>(LongStream.range(0, plan.positions()).boxed().toList());
        Collections.shuffle(positions, new Random(5));

        run(plan, positions, List.of(), 1, -1);

        assertThat(FakeStep.SEEN).hasSize(14);
        for (int step = 0; step < 14; step++) {
            BatchPlan.Batch batch = plan.batch(step);
            assertThat(FakeStep.SEEN.get(step).step()).isEqualTo(step);
            assertThat(FakeStep.SEEN.get(step).indexes())
                    .containsExactlyElementsOf(LongStream.range(0, batch.rows())
                            .map(row -> index(batch.firstPosition() + row))
                            .boxed()
                            .toList());
        }
        assertThat(Files.readAllLines(folder.resolve("steps.csv"))).hasSize(15);
        assertThat(folder.resolve("model/seen.txt")).exists();
        assertThat(folder.resolve("quarantine.jsonl")).isEmptyFile();
    }

    @Test
    void quarantinedSampleMakesItsBatchOneRowShorter() throws Exception {
        BatchPlan plan = new BatchPlan(10, 4, false, 1, 0, 1);

        run(plan, LongStream.range(0, 10).boxed().toList(), List.of(0L, 5L), 1, -1);

        assertThat(FakeStep.SEEN.stream().map(s -> s.indexes().size())).containsExactly(3, 3, 2);
        assertThat(FakeStep.SEEN.get(1).indexes()).containsExactly(index(4), index(6), index(7));
        assertThat(Files.readAllLines(folder.resolve("quarantine.jsonl"))).hasSize(2);
    }

    @Test
    void failingStepEndsTheJobAndLeavesTheStepsBefore() {
        BatchPlan plan = new BatchPlan(40, 4, false, 1, 0, 1);

        assertThatThrownBy(() -> run(plan, LongStream.range(0, 40).boxed().toList(), List.of(), 1, 2))
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .isInstanceOf(LabelOutOfRangeException.class)
                .hasMessageContaining("has label 11, but the model has 10 classes");
    }

    @Test
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void barrierWaitsUntilAllCompleteBatchesAreTrainedOn() throws Exception {
        BatchPlan plan = new BatchPlan(40, 4, false, 1, 0, 1);
        try (Packer packer = new Packer(allocator, ROWS, PackLimits.ofRows(11));
                OneInputStreamOperatorTestHarness<MicroBatch, Void> harness =
                        new OneInputStreamOperatorTestHarness<>(new TrainOperatorFactory(spec(plan, 1, -1)))) {
            harness.open();
            for (long position = 0; position < 11; position++) {
                packer.add(sample(position, List.of()));
            }
            harness.processElement(new StreamRecord<>(ReceivedRows.of(ROWS, packer)));
            harness.prepareSnapshotPreBarrier(1);

            assertThat(FakeStep.SEEN).hasSize(2);
        }
    }

    @Test
    void inputThatEndsWithinABatchIsAnError() {
        BatchPlan plan = new BatchPlan(10, 4, false, 1, 0, 1);

        assertThatThrownBy(() -> run(plan, List.of(0L, 1L, 2L, 3L, 5L), List.of(), 1, -1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the input ended, but batch 1 of 3 is incomplete");
    }

    /**
     * Returns a sample's index, which differs from its position, so that no test passes by mistaking one for the other.
     */
    private static long index(long position) {
        return position * 7 % 1000;
    }

    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    private void run(BatchPlan plan, List<Long> positions, List<Long> bad, double maxQuarantined, long failAt)
            throws Exception {
        try (Packer packer = new Packer(allocator, ROWS, PackLimits.ofRows(5));
                OneInputStreamOperatorTestHarness<MicroBatch, Void> harness = new OneInputStreamOperatorTestHarness<>(
                        new TrainOperatorFactory(spec(plan, maxQuarantined, failAt)))) {
            harness.open();
            for (int i = 0; i < positions.size(); i++) {
                packer.add(sample(positions.get(i), bad));
                if (packer.isFull() || i == positions.size() - 1) {
                    harness.processElement(new StreamRecord<>(ReceivedRows.of(ROWS, packer)));
                }
            }
            harness.endInput();
        }
    }

    private SinkSpec spec(BatchPlan plan, double maxQuarantined, long failAt) {
        Component none = new Component("none", OptionValues.none());
        TrainSpec train = new TrainSpec(
                new TrainData(ROWS, List.of()),
                new Recipe(none, none, none, none, 1),
                new RunLength(plan.stepsPerEpoch(), plan.epochs()),
                Tuning.ofThreads(1));
        return new SinkSpec(
                new RunSpec(plan, folder.toString(), maxQuarantined),
                TrainerSpec.alone(plan, train, (s, capacity, device) -> new FakeStep(failAt)),
                RingSpec.ofHost(2));
    }

    private static Sample sample(long position, List<Long> bad) {
        long index = index(position);
        Sample sample = new Sample(index, "k" + index, index % 10).placeAt(position, 0, Split.TRAIN);
        if (bad.contains(position)) {
            sample.quarantine(new BadSample("read", "d", "f" + index, -1, "bad"));
            return sample;
        }
        byte[] pixels = new byte[6];
        Arrays.fill(pixels, (byte) index);
        return sample.put(Sample.IMAGE, Field.image(2, 3, 1, pixels));
    }
}
