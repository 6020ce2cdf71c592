package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.order.Tail;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.Samples;
import io.millrace.sample.StoredRows;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of {@link PackOperator} with records of several samples. */
class PackRowsTest {
    private static final BatchSpec SPEC = Rows.IMAGE_AND_MASK;
    private static final Duration DELAY = Duration.ofMillis(50);
    private static final PackLimits LIMITS = new PackLimits(PackLimits.DEFAULT_BYTES, 4, DELAY);

    private final PackOperator<Samples> operator = new PackOperator<>(SPEC, LIMITS);
    private OneInputStreamOperatorTestHarness<Samples, MicroBatch> harness;

    @BeforeEach
    void open() throws Exception {
        harness = opened(operator);
    }

    private static OneInputStreamOperatorTestHarness<Samples, MicroBatch> opened(PackOperator<Samples> operator)
            throws Exception {
        OneInputStreamOperatorTestHarness<Samples, MicroBatch> harness =
                new OneInputStreamOperatorTestHarness<>(operator);
        harness.setup(new PackOperatorTest.NetworkEdge());
        harness.open();
        return harness;
    }

    @AfterEach
    void noMemoryIsLeaked() throws Exception {
        harness.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void rowsArePackedAsTheirSamplesWouldBe() throws Exception {
        harness.processElement(new StreamRecord<>(Rows.good(SPEC, 0)));
        harness.processElement(new StreamRecord<>(rows(1, 6)));
        harness.processElement(new StreamRecord<>(Rows.bad(SPEC, 7)));
        harness.processElement(new StreamRecord<>(rows(8, 1)));
        assertThat(PackOperatorTest.emitted(harness)).containsExactly(List.of(0L, 1L, 2L, 3L), List.of(4L, 5L, 6L, 7L));
        harness.endInput();
        assertThat(PackOperatorTest.emitted(harness)).containsExactly(List.of(8L));
        assertThat(operator.metrics().totals().records()).isEqualTo(9);
        assertThat(operator.metrics().totals().bytes()).isEqualTo(8L * SPEC.rowBytes());
    }

    @Test
    void firstOfSeveralRowsWaitsNoLongerThanTheDelay() throws Exception {
        harness.setProcessingTime(1000);
        harness.processElement(new StreamRecord<>(rows(0, 6)));
        assertThat(PackOperatorTest.emitted(harness)).containsExactly(List.of(0L, 1L, 2L, 3L));
        harness.setProcessingTime(1000 + DELAY.toMillis());
        assertThat(PackOperatorTest.emitted(harness)).containsExactly(List.of(4L, 5L));
    }

    @Test
    void rowsGoToTheirRanks() throws Exception {
        harness.close();
        harness = opened(PackOperator.perRank(
                SPEC, LIMITS, new RankRows(new BatchPlan(24, 4, false, 1, 0, 1), 2, Tail.FIRST_RANKS)));
        harness.processElement(new StreamRecord<>(rows(0, 12)));
        harness.endInput();
        assertThat(PackOperatorTest.emitted(harness))
                .containsExactlyInAnyOrder(
                        List.of(0L, 1L, 4L, 5L), List.of(2L, 3L, 6L, 7L), List.of(8L, 9L), List.of(10L, 11L));
    }

    @Test
    void rowsOfAnotherTypeOrWithoutAColumnFailTheJob() throws Exception {
        assertThatExceptionOfType(SampleMismatchException.class)
                .isThrownBy(() -> harness.processElement(new StreamRecord<>(new SampleRows(
                        new FewColumns(List.of(new StoredRows.Column(Sample.IMAGE, DType.FLOAT32, List.of(2, 3, 3)))),
                        0,
                        new long[] {3},
                        new long[] {0}))))
                .withMessageContaining("sample rows#3 (index 3) has 'image' as FLOAT32[2, 3, 3]");
        assertThatExceptionOfType(SampleMismatchException.class)
                .isThrownBy(() -> harness.processElement(new StreamRecord<>(
                        new SampleRows(new FewColumns(List.of()), 0, new long[] {3}, new long[] {0}))))
                .withMessageContaining("has no field 'image', only []");
    }

    private record FewColumns(List<Column> columns) implements StoredRows {
        @Override
        public void copy(int column, long index, long address) {
            throw new IllegalStateException("nothing is copied");
        }

        @Override
        public void load(int column, long index) {
            throw new IllegalStateException("nothing is read");
        }

        @Override
        public String key(long index) {
            return "rows#" + index;
        }
    }

    /** Returns the samples that {@link Rows#good} makes as rows. */
    private static SampleRows rows(long first, int count) {
        long[] indexes = LongStream.range(first, first + count)
                .map(position -> 7 * position + 3)
                .toArray();
        long[] labels = LongStream.range(first, first + count)
                .map(position -> position % 10)
                .toArray();
        StoredRows stored = new StoredRows() {
            @Override
            public List<Column> columns() { // in another order than the batch has
                return List.of(
                        Column.of("mask", Rows.good(SPEC, 0).field("mask")),
                        Column.of(Sample.IMAGE, Rows.good(SPEC, 0).image()));
            }

            @Override
            public void copy(int column, long index, long address) {
                byte[] values = Rows.good(SPEC, (index - 3) / 7)
                        .field(columns().get(column).name())
                        .data();
                MemoryUtil.copyToMemory(values, 0, address, values.length);
            }

            @Override
            public void load(int column, long index) {
                throw new IllegalStateException("the reader does this");
            }

            @Override
            public String key(long index) {
                return "rows#" + index;
            }
        };
        return new SampleRows(stored, first, indexes, labels);
    }
}
