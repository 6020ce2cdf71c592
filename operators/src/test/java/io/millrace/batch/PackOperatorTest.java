package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.metrics.EndedStages;
import io.millrace.metrics.StageMetrics;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.order.Tail;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.DatasetNames;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PackOperatorTest {
    private static final BatchSpec SPEC = Rows.IMAGE_AND_MASK;
    private static final int ROWS = 4;
    private static final Duration DELAY = Duration.ofMillis(50);

    private final PackOperator<Sample> operator =
            new PackOperator<>(SPEC, new PackLimits(PackLimits.DEFAULT_BYTES, ROWS, DELAY));
    private OneInputStreamOperatorTestHarness<Sample, MicroBatch> harness;

    /** A serializer that passes each emitted micro-batch through its bytes, as a network edge does. */
    static class NetworkEdge extends MicroBatchSerializer {
        private static final long serialVersionUID = 1;

        NetworkEdge() {
            this(SPEC);
        }

        NetworkEdge(BatchSpec spec) {
            super(spec);
        }

        @Override
        public MicroBatch copy(MicroBatch from) {
            DataOutputSerializer bytes = new DataOutputSerializer(64);
            try {
                serialize(from, bytes);
                return deserialize(new DataInputDeserializer(bytes.getCopyOfBuffer()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @BeforeEach
    void open() throws Exception {
        harness = new OneInputStreamOperatorTestHarness<>(operator);
        harness.setup(new NetworkEdge());
        harness.open();
    }

    @AfterEach
    void noMemoryIsLeaked() throws Exception {
        harness.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void fullMicroBatchIsEmittedAtOnce() throws Exception {
        add(0, ROWS + 1);
        assertThat(emitted()).containsExactly(List.of(0L, 1L, 2L, 3L));
    }

    @Test
    void rowsAreFlushedBeforeTheBarrier() throws Exception {
        add(0, 3);
        harness.prepareSnapshotPreBarrier(1);
        assertThat(emitted()).containsExactly(List.of(0L, 1L, 2L));
        harness.prepareSnapshotPreBarrier(2);
        assertThat(emitted()).as("nothing to flush").isEmpty();
    }

    @Test
    void rowsOfAllRanksAreFlushedBeforeAWatermark() throws Exception {
        harness.close();
        RankRows ranks = new RankRows(new BatchPlan(8, 4, false, 1, 0, 1), 2, Tail.FIRST_RANKS);
        harness = new OneInputStreamOperatorTestHarness<>(
                PackOperator.<Sample>perRank(SPEC, new PackLimits(PackLimits.DEFAULT_BYTES, ROWS, DELAY), ranks));
        harness.setup(new NetworkEdge());
        harness.open();
        add(0, 3);
        harness.processWatermark(7);
        assertThat(harness.getOutput()).hasSize(3).last().isEqualTo(new Watermark(7));
        assertThat(emitted()).containsExactly(List.of(0L, 1L), List.of(2L));

        harness.processWatermark(8);
        assertThat(harness.getOutput()).as("nothing to flush").containsExactly(new Watermark(8));
    }

    @Test
    void rowsAreFlushedAtTheEndOfInput() throws Exception {
        add(0, 6);
        harness.endInput();
        assertThat(emitted()).containsExactly(List.of(0L, 1L, 2L, 3L), List.of(4L, 5L));
    }

    @Test
    void firstRowWaitsNoLongerThanTheDelay() throws Exception {
        harness.setProcessingTime(1000);
        add(0, 1);
        harness.setProcessingTime(1030);
        add(1, 1);
        harness.setProcessingTime(1000 + DELAY.toMillis() - 1);
        assertThat(emitted()).isEmpty();
        harness.setProcessingTime(1000 + DELAY.toMillis());
        assertThat(emitted()).containsExactly(List.of(0L, 1L));
    }

    @Test
    void delayCountsFromTheFirstRowOfEachMicroBatch() throws Exception {
        harness.setProcessingTime(1000);
        add(0, ROWS);
        harness.setProcessingTime(1040);
        add(ROWS, 1);
        assertThat(emitted()).containsExactly(List.of(0L, 1L, 2L, 3L));
        harness.setProcessingTime(1000 + DELAY.toMillis());
        assertThat(emitted()).as("the timer of the first micro-batch").isEmpty();
        harness.setProcessingTime(1040 + DELAY.toMillis());
        assertThat(emitted()).containsExactly(List.of(4L));
        harness.setProcessingTime(5000);
        assertThat(emitted()).isEmpty();
        add(5, 1);
        harness.setProcessingTime(5000 + DELAY.toMillis());
        assertThat(emitted()).containsExactly(List.of(5L));
    }

    @Test
    void quarantinedRowsArriveWithTheirReason() throws Exception {
        add(0, 1);
        harness.processElement(new StreamRecord<>(Rows.bad(SPEC, 1)));
        harness.endInput();
        try (MicroBatch batch = onlyRecord()) {
            assertThat(batch.quarantined()).isEqualTo(1);
            Rows.check(batch, 0);
            Rows.check(batch, 1);
        }
    }

    @Test
    void everySampleIsMeasured() throws Exception {
        add(0, 5);
        harness.processElement(new StreamRecord<>(Rows.bad(SPEC, 5)));
        harness.endInput();
        StageMetrics.Totals totals = operator.metrics().totals();
        assertThat(totals.records()).isEqualTo(6);
        assertThat(totals.bytes()).isEqualTo(5L * SPEC.rowBytes());
        assertThat(totals.failures())
                .as("failures belong to the stage that found them")
                .isZero();
        assertThat(totals.ownNanos()).isPositive();
        assertThat(totals.waitOutNanos()).isPositive();
        assertThat(totals.waitInNanos()).isPositive();
        assertThat(emitted()).hasSize(2);
    }

    @Test
    void mismatchFailsTheJobAndLeaksNoMemory() throws Exception {
        add(0, 2);
        Sample other = Rows.good(SPEC, 2).put(Sample.IMAGE, Field.image(1, 1, 3, new byte[3]));
        assertThatExceptionOfType(SampleMismatchException.class)
                .isThrownBy(() -> harness.processElement(new StreamRecord<>(other)))
                .withMessageContaining("train/2.png");
        assertThat(MicroBatchMemory.allocatedBytes()).isPositive();
    }

    @Test
    void sampleWithANumberThatDoesNotFitItsColumnIsQuarantinedWithTheReason() throws Exception {
        harness.close();
        BatchSpec spec = new BatchSpec(List.of(
                new BatchSpec.Column("x", DType.FLOAT16, List.of(1), FieldKind.TENSOR, Form.DENSE, DType.FLOAT32)));
        PackOperator<Sample> narrow = new PackOperator<Sample>(spec, PackLimits.ofRows(2))
                .ofDatasets(new DatasetNames(List.of("data/train"), "data/test"));
        harness = new OneInputStreamOperatorTestHarness<>(narrow);
        harness.setup(new NetworkEdge(spec));
        harness.open();
        harness.processElement(new StreamRecord<>(one(0, 1.5f, Split.TRAIN)));
        harness.processElement(new StreamRecord<>(one(1, 65520, Split.EVALUATE)));
        try (MicroBatch batch = onlyRecord()) {
            assertThat(batch.isQuarantined(0)).isFalse();
            assertThat(batch.badSample(1))
                    .isEqualTo(new BadSample(
                            "pack",
                            "data/test",
                            "x1",
                            -1,
                            "'x' has the wire type float16, which cannot represent 65520.0 at element 0: batch.wire sets"
                                    + " the wire type"));
        }
        assertThat(narrow.metrics().totals().failures()).isEqualTo(1);
        assertThat(narrow.metrics().totals().records()).isEqualTo(2);
    }

    @Test
    void sampleWithNumbersOfAnotherShapeOrTypeIsQuarantinedWithTheReason() throws Exception {
        harness.close();
        BatchSpec spec = new BatchSpec(
                List.of(new BatchSpec.Column("x", DType.FLOAT32, List.of(1), FieldKind.TENSOR, Form.DENSE)));
        PackOperator<Sample> operator =
                new PackOperator<Sample>(spec, PackLimits.ofRows(3)).ofDatasets(DatasetNames.all("data/train"));
        harness = new OneInputStreamOperatorTestHarness<>(operator);
        harness.setup(new NetworkEdge(spec));
        harness.open();
        harness.processElement(new StreamRecord<>(
                one(0, 1.5f, Split.TRAIN).put("x", Field.of(DType.FLOAT32, new int[] {2}, new byte[8]))));
        harness.processElement(new StreamRecord<>(one(1, 1.5f, Split.TRAIN)));
        harness.processElement(new StreamRecord<>(
                one(2, 1.5f, Split.TRAIN).put("x", Field.of(DType.FLOAT64, new int[] {1}, new byte[8]))));
        try (MicroBatch batch = onlyRecord()) {
            BadSample longer = Objects.requireNonNull(batch.badSample(0));
            assertThat(longer.stage()).isEqualTo("pack");
            assertThat(longer.reason())
                    .contains("'x' as FLOAT32[2], but the batch expects FLOAT32[1]", "{forms: {x: ragged}}");
            assertThat(batch.isQuarantined(1)).isFalse();
            assertThat(Objects.requireNonNull(batch.badSample(2)).reason())
                    .contains("'x' as FLOAT64[1], but the batch expects FLOAT32[1]");
        }
        assertThat(operator.metrics().totals().failures()).isEqualTo(2);
    }

    private static Sample one(long position, float value, Split split) {
        byte[] bytes = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(value)
                .array();
        return new Sample(position, "x" + position, 0)
                .put("x", Field.of(DType.FLOAT32, new int[] {1}, bytes))
                .placeAt(position, 0, split);
    }

    @Test
    void failureWhileEmittingLeaksNoMemory() throws Exception {
        harness.close();
        harness = new OneInputStreamOperatorTestHarness<>(new PackOperator<Sample>(SPEC, PackLimits.ofRows(1)));
        harness.setup(new MicroBatchSerializer(SPEC) {
            private static final long serialVersionUID = 1;

            @Override
            public MicroBatch copy(MicroBatch from) {
                throw new IllegalStateException("the network is gone");
            }
        });
        harness.open();
        assertThatIllegalStateException()
                .isThrownBy(() -> harness.processElement(new StreamRecord<>(Rows.good(SPEC, 0))))
                .withMessageContaining("the network is gone");
    }

    /** A device that is gone when its last block returns. */
    private static final class LostDevice implements BlockSource {
        private final Map<Long, ByteBuffer> taken = new HashMap<>();

        @Override
        public long take(long bytes) {
            ByteBuffer block = ByteBuffer.allocateDirect((int) bytes);
            taken.put(MemoryUtil.getByteBufferAddress(block), block);
            return MemoryUtil.getByteBufferAddress(block);
        }

        @Override
        public void giveBack(long address, long bytes) {
            taken.remove(address);
            if (taken.isEmpty()) {
                throw new IllegalStateException("the device is gone");
            }
        }
    }

    @Test
    void figuresAreAddedAlsoIfItsMemoryCannotBeFreed() throws Exception {
        harness.close();
        PackOperator<Sample> operator = new PackOperator<Sample>(SPEC, PackLimits.ofRows(2)).handing(Handing.OVER);
        harness = new OneInputStreamOperatorTestHarness<>(operator);
        harness.setup(new NetworkEdge());
        LostDevice device = new LostDevice();
        MicroBatchMemory.addSource(device);
        try {
            harness.open();
            add(0, 1);
            assertThatThrownBy(operator::close).hasMessageContaining("the device is gone");
        } finally {
            MicroBatchMemory.removeSource(device);
        }
        assertThat(EndedStages.of(operator.getRuntimeContext()
                        .getAccumulator(EndedStages.NAME)
                        .getLocalValue()))
                .hasSize(1);
    }

    private void add(long first, int count) throws Exception {
        for (long position = first; position < first + count; position++) {
            harness.processElement(new StreamRecord<>(Rows.good(SPEC, position)));
        }
    }

    private List<List<Long>> emitted() {
        return emitted(harness);
    }

    /** Checks and closes the micro-batches that were emitted since the last call, and returns the positions of each. */
    static List<List<Long>> emitted(OneInputStreamOperatorTestHarness<?, MicroBatch> harness) {
        List<List<Long>> positions = new ArrayList<>();
        for (MicroBatch batch : harness.extractOutputValues()) {
            try (batch) {
                List<Long> rows = new ArrayList<>();
                for (int row = 0; row < batch.rows(); row++) {
                    Rows.check(batch, row);
                    rows.add(batch.position(row));
                }
                positions.add(rows);
            }
        }
        harness.getOutput().clear();
        return positions;
    }

    private MicroBatch onlyRecord() {
        assertThat(harness.extractOutputValues()).hasSize(1);
        return harness.extractOutputValues().get(0);
    }
}
