package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.order.Sources;
import io.millrace.sample.Sample;
import io.millrace.source.ServedEvent.Assigned;
import io.millrace.source.ServedEvent.Finished;
import io.millrace.source.ServedEvent.Rewind;
import io.millrace.source.ServedEvent.Rewound;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of {@link RangeReader} in a served run. */
class ServedReaderTest {
    /** One I/O thread, so that a range is read after all earlier ones have been read or abandoned. */
    private static final ReadOptions OPTIONS = new ReadOptions(4, 8, 3, 1);

    private final TestingReaderContext context = new TestingReaderContext();
    private final List<RangeReader<Sample>> opened = new ArrayList<>();

    /** The positions of samples, and -g for the watermark of generation g. */
    private final List<Long> emitted = new ArrayList<>();

    private final TestingReaderOutput<Sample> output = new TestingReaderOutput<>() {
        @Override
        public void collect(Sample sample) {
            emitted.add(sample.position());
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            emitted.add(-watermark.getTimestamp());
        }
    };

    private RangeReader<Sample> started(FakeDataset dataset) {
        BatchPlan plan = new BatchPlan(dataset.size(), 4, false, 1, 0, 1);
        EpochOrder order = new EpochOrder(0, dataset.size(), Shuffle.NONE);
        RangeReader<Sample> reader = new RangeReader<>(
                Sample.class,
                context,
                () -> new PositionReader(
                        plan, order, Sources.single(plan.size()), List.of(new NamedDataset("fake", dataset)), null),
                OPTIONS,
                null);
        opened.add(reader);
        reader.start();
        assertThat(context.getSentEvents()).containsExactly(new ReaderStarted(List.of(), 4));
        context.clearSentEvents();
        return reader;
    }

    @AfterEach
    void close() throws IOException {
        for (RangeReader<Sample> reader : opened) {
            reader.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rewindDropsAllRangesAndThenEmitsTheWatermark(RangeReaderTest.Storage storage) throws Exception {
        RangeReader<Sample> reader = started(storage.dataset(100));
        rewind(reader, 1);
        assign(reader, 1, 0, 4);
        assign(reader, 1, 4, 8);
        emit(reader, 3);
        assertThat(emitted).containsExactly(-1L, 0L, 1L);

        rewind(reader, 2);
        assign(reader, 1, 8, 12);
        assign(reader, 2, 40, 44);
        emit(reader, 5);
        assertThat(emitted).containsExactly(-2L, 40L, 41L, 42L, 43L);
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(context.getSentEvents())
                .containsExactly(new Rewound(1, 4), new Rewound(2, 4), new Finished(2, new Range(40, 44), 1));
    }

    @ParameterizedTest
    @EnumSource
    void seekToTheSameRangeReadsItAgain(RangeReaderTest.Storage storage) throws Exception {
        RangeReader<Sample> reader = started(storage.dataset(100));
        for (long generation = 1; generation <= 50; generation++) {
            rewind(reader, generation);
            assign(reader, generation, 0, 4);
            assign(reader, generation, 4, 8);
            emit(reader, 4);
            assertThat(emitted).containsExactly(-generation, 0L, 1L, 2L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void seekWakesAnIdleReader(RangeReaderTest.Storage storage) throws Exception {
        RangeReader<Sample> reader = started(storage.dataset(100));
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> woken = reader.isAvailable();
        assertThat(woken).isNotDone();
        rewind(reader, 1);
        assertThat(woken).isDone();
        emit(reader, 1);
        assertThat(emitted).containsExactly(-1L);
    }

    @Test
    void seekThatIsOvertakenOrRepeatedHasNoWatermark() throws Exception {
        RangeReader<Sample> reader = started(FakeDataset.inMemory(100));
        rewind(reader, 1);
        rewind(reader, 3);
        rewind(reader, 2);
        rewind(reader, 3);
        emit(reader, 1);
        rewind(reader, 3);
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(emitted).containsExactly(-3L);
        assertThat(context.getSentEvents()).containsExactly(new Rewound(3, 4));
    }

    @Test
    void readsOfOlderGenerationsAreAbandonedWithoutAnInterrupt() throws Exception {
        FakeDataset dataset = FakeDataset.inFiles(100);
        CountDownLatch latch = dataset.slow(1);
        RangeReader<Sample> reader = started(dataset);
        for (long generation = 1; generation <= 20; generation++) {
            rewind(reader, generation);
            assign(reader, generation, 0, 4);
            assign(reader, generation, 4, 8);
            emit(reader, 1);
        }
        rewind(reader, 21);
        assign(reader, 21, 40, 44);
        emit(reader, 1);
        latch.countDown();
        emit(reader, 4);
        assertThat(emitted).containsExactly(40L, 41L, 42L, 43L);
        assertThat(dataset.read()).isSubsetOf(0L, 1L, 40L, 41L, 42L, 43L);
    }

    @Test
    void failureOfAnAbandonedReadIsIgnored() throws Exception {
        FakeDataset dataset = FakeDataset.inFiles(100).unreadable(0);
        CountDownLatch latch = dataset.slow(0);
        RangeReader<Sample> reader = started(dataset);
        rewind(reader, 1);
        assign(reader, 1, 0, 4);
        rewind(reader, 2);
        assign(reader, 2, 40, 44);
        latch.countDown();
        emit(reader, 5);
        assertThat(emitted).containsExactly(-2L, 40L, 41L, 42L, 43L);
    }

    @ParameterizedTest
    @EnumSource
    void endOfTheRunDropsWhatIsLeft(RangeReaderTest.Storage storage) throws Exception {
        RangeReader<Sample> reader = started(storage.dataset(100));
        rewind(reader, 1);
        assign(reader, 1, 0, 4);
        emit(reader, 2);
        reader.notifyNoMoreSplits();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(emitted).containsExactly(-1L, 0L);
    }

    @Test
    void readerHasNoState() throws Exception {
        RangeReader<Sample> reader = started(FakeDataset.inMemory(100));
        rewind(reader, 1);
        assign(reader, 1, 0, 4);
        assertThat(reader.snapshotState(1)).isEmpty();
    }

    @Test
    void unknownEventIsRefused() {
        RangeReader<Sample> reader = started(FakeDataset.inMemory(100));
        assertThatThrownBy(() -> reader.handleSourceEvents(new SourceEvent() {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown event");
    }

    private static void rewind(RangeReader<Sample> reader, long generation) {
        reader.handleSourceEvents(new Rewind(generation));
    }

    private static void assign(RangeReader<Sample> reader, long generation, long from, long to) {
        reader.handleSourceEvents(new Assigned(generation, new Range(from, to)));
    }

    /** Forgets what was emitted, and polls until this many samples and watermarks are emitted; waits as a task does. */
    private void emit(RangeReader<Sample> reader, int count) throws Exception {
        emitted.clear();
        while (emitted.size() < count) {
            InputStatus status = reader.pollNext(output);
            assertThat(status).isNotEqualTo(InputStatus.END_OF_INPUT);
            if (status == InputStatus.NOTHING_AVAILABLE) {
                reader.isAvailable().get(5, TimeUnit.MINUTES);
            }
        }
    }
}
