package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.metrics.Figure;
import io.millrace.metrics.Figures;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Order;
import io.millrace.order.Shuffle;
import io.millrace.order.Sources;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RangeReaderTest {
    /** The two ways of reading, which must behave alike. */
    enum Storage {
        MEMORY,
        FILES;

        FakeDataset dataset(long size) {
            return this == MEMORY ? FakeDataset.inMemory(size) : FakeDataset.inFiles(size);
        }
    }

    private static final ReadOptions OPTIONS = new ReadOptions(4, 8, 3, 2);

    private final MetricListener metrics = new MetricListener();
    private final TestingReaderContext context = new TestingReaderContext(
            new Configuration(), InternalSourceReaderMetricGroup.mock(metrics.getMetricGroup()));
    private final TestingReaderOutput<Sample> output = new TestingReaderOutput<>();
    private final List<RangeReader<Sample>> opened = new ArrayList<>();

    private RangeReader<Sample> reader(FakeDataset dataset) {
        return reader(dataset, new EpochOrder(0, dataset.size(), Shuffle.NONE));
    }

    private RangeReader<Sample> reader(FakeDataset dataset, Order order) {
        BatchPlan plan = new BatchPlan(dataset.size(), 4, false, 1, 0, 1);
        RangeReader<Sample> reader = new RangeReader<>(
                Sample.class,
                context,
                () -> new PositionReader(
                        plan, order, Sources.single(plan.size()), List.of(new NamedDataset("fake", dataset)), null),
                OPTIONS,
                null);
        opened.add(reader);
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
    void rangesAreEmittedCompletelyAndReported(Storage storage) throws Exception {
        RangeReader<Sample> reader = reader(storage.dataset(100));
        reader.start();
        assertThat(context.getSentEvents()).containsExactly(new ReaderStarted(List.of(), 4));

        reader.addSplits(List.of(new Range(8, 12)));
        assertThat(emit(reader, 4)).containsExactly(8L, 9L, 10L, 11L);
        assertThat(context.getSentEvents()).endsWith(new RangeFinished(new Range(8, 12), 1));
        assertThat(reader.snapshotState(1)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void inputEndsWhenNoRangesRemainAndAllSamplesAreEmitted(Storage storage) throws Exception {
        RangeReader<Sample> reader = reader(storage.dataset(100));
        reader.start();
        reader.addSplits(List.of(new Range(0, 3)));
        reader.notifyNoMoreSplits();
        assertThat(emit(reader, 3)).containsExactly(0L, 1L, 2L);
        assertThat(context.getSentEvents()).endsWith(new RangeFinished(new Range(0, 3), 0));
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);
    }

    @ParameterizedTest
    @EnumSource
    void splitsAndTheEndOfInputWakeAnIdleReader(Storage storage) throws Exception {
        RangeReader<Sample> reader = reader(storage.dataset(100));
        reader.start();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> forSplit = reader.isAvailable();
        assertThat(forSplit).isNotDone();
        reader.addSplits(List.of(new Range(0, 1)));
        assertThat(forSplit).isDone();
        assertThat(emit(reader, 1)).containsExactly(0L);

        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> forEnd = reader.isAvailable();
        assertThat(forEnd).isNotDone();
        reader.notifyNoMoreSplits();
        assertThat(forEnd).isDone();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);
    }

    @ParameterizedTest
    @EnumSource
    void nextReaderEmitsTheRestOfASnapshot(Storage storage) throws Exception {
        RangeReader<Sample> first = reader(storage.dataset(100));
        first.start();
        first.addSplits(List.of(new Range(0, 50), new Range(50, 54)));
        assertThat(emit(first, 37)).isSubsetOf(positions(0, 54));
        List<Range> left = first.snapshotState(1);
        List<Long> before = emitted();
        emit(first, 3);

        output.clearEmittedRecords();
        context.clearSentEvents();
        RangeReader<Sample> second = reader(storage.dataset(100));
        second.addSplits(left);
        second.start();
        assertThat(context.getSentEvents()).containsExactly(new ReaderStarted(left, 4 - left.size()));
        List<Long> after = emit(second, 54 - before.size());

        List<Long> all = new ArrayList<>(before);
        all.addAll(after);
        assertThat(all).containsExactlyInAnyOrderElementsOf(positions(0, 54));
        assertThat(second.snapshotState(2)).isEmpty();
    }

    @Test
    void snapshotIsReportedByTheNextCallAlsoWhenThereIsNothingToEmit() throws Exception {
        RangeReader<Sample> reader = reader(FakeDataset.inFiles(100));
        reader.start();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(reader.isAvailable()).isNotDone();
        context.clearSentEvents();

        reader.snapshotState(3);
        assertThat(context.getSentEvents()).isEmpty();
        assertThat(reader.isAvailable()).isDone();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(context.getSentEvents()).containsExactly(new BarrierPassed(3));
        assertThat(reader.isAvailable()).isNotDone();
        reader.pollNext(output);
        assertThat(context.getSentEvents()).hasSize(1);
    }

    /** The first epoch reads files into the page cache, and the operating system may take the memory back. */
    @Test
    void datasetThatComesIntoMemoryAndLeavesItIsReadOnBothWays() throws Exception {
        FakeDataset dataset = FakeDataset.inFiles(100);
        RangeReader<Sample> reader = reader(dataset);
        reader.start();
        reader.addSplits(List.of(new Range(0, 10), new Range(10, 20)));
        dataset.setResident(true);
        reader.addSplits(List.of(new Range(20, 30)));
        assertThat(emit(reader, 30)).containsExactlyInAnyOrderElementsOf(positions(0, 30));
        assertThat(dataset.threads())
                .contains(Thread.currentThread().getName())
                .anyMatch(name -> name.startsWith("read-0-"));

        output.clearEmittedRecords();
        dataset.threads().clear();
        reader.addSplits(List.of(new Range(30, 40)));
        assertThat(emit(reader, 10)).containsExactlyElementsOf(positions(30, 40));
        assertThat(dataset.threads()).containsExactly(Thread.currentThread().getName());

        output.clearEmittedRecords();
        dataset.setResident(false);
        dataset.threads().clear();
        reader.addSplits(List.of(new Range(40, 50)));
        assertThat(emit(reader, 10)).containsExactlyElementsOf(positions(40, 50));
        assertThat(dataset.threads()).doesNotContain(Thread.currentThread().getName());
    }

    @Test
    void restoredRangesBeyondTheReadAheadAreEmittedBeforeNewOnesAreRequested() throws Exception {
        RangeReader<Sample> reader = reader(FakeDataset.inFiles(100));
        List<Range> restored = LongStream.range(0, 6)
                .mapToObj(i -> new Range(4 * i, 4 * i + 4))
                .toList();
        reader.addSplits(restored);
        reader.start();
        assertThat(context.getSentEvents()).containsExactly(new ReaderStarted(restored, 0));

        assertThat(emit(reader, 24)).containsExactlyInAnyOrderElementsOf(positions(0, 24));
        assertThat(context.getSentEvents().stream()
                        .filter(RangeFinished.class::isInstance)
                        .map(e -> ((RangeFinished) e).requested()))
                .containsExactly(0, 0, 1, 1, 1, 1);
    }

    @Test
    void slowFileDelaysOnlyItsRange() throws Exception {
        FakeDataset dataset = FakeDataset.inFiles(100);
        CountDownLatch latch = dataset.slow(1);
        RangeReader<Sample> reader = reader(dataset);
        reader.start();
        reader.addSplits(List.of(new Range(0, 4), new Range(4, 8), new Range(8, 12)));
        assertThat(emit(reader, 8)).containsExactlyInAnyOrderElementsOf(positions(4, 12));

        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> woken = reader.isAvailable();
        assertThat(woken).isNotDone();
        latch.countDown();
        woken.get(5, TimeUnit.MINUTES);
        output.clearEmittedRecords();
        assertThat(emit(reader, 4)).containsExactly(0L, 1L, 2L, 3L);
    }

    @ParameterizedTest
    @EnumSource
    void badSampleIsEmittedAtItsPositionAsQuarantined(Storage storage) throws Exception {
        RangeReader<Sample> reader = reader(storage.dataset(100).bad(2));
        reader.start();
        reader.addSplits(List.of(new Range(0, 4)));
        emit(reader, 4);

        assertThat(output.getEmittedRecords().stream().map(s -> s.badSample() != null))
                .containsExactly(false, false, true, false);
        assertThat(gauge(Figures.FAILURES.name())).isEqualTo(1);
        assertThat(gauge(Figures.RECORDS.name())).isEqualTo(4);
        assertThat(gauge(Figures.BYTES_PRODUCED.name())).isEqualTo(3);
        assertThat(gauge(Figures.OWN_NANOS.name())).isPositive();
        assertThat(gauge(Figures.WAIT_OUT_NANOS.name())).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void failedReadFailsTheJobWithDatasetFileAndIndex(Storage storage) throws Exception {
        RangeReader<Sample> reader = reader(storage.dataset(100).unreadable(3));
        reader.start();
        reader.addSplits(List.of(new Range(0, 4)));
        assertThatThrownBy(() -> emit(reader, 4))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("dataset fake")
                .hasMessageContaining("sample 3")
                .hasMessageContaining("file3: input/output error");
    }

    /** An order that reads a file which this machine does not have. */
    private record OrderOfAMissingFile(long size) implements Order {
        @Override
        public long seed() {
            return 0;
        }

        @Override
        public Pick at(int epoch, long i) {
            throw new UncheckedIOException(new DatasetException("the lengths are not on this machine"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void orderThatCannotReadItsFileEndsTheJobWithItsSentence(Storage storage) throws Exception {
        RangeReader<Sample> reader = reader(storage.dataset(100), new OrderOfAMissingFile(100));
        reader.start();
        reader.addSplits(List.of(new Range(0, 4)));
        assertThatThrownBy(() -> emit(reader, 4))
                .isInstanceOf(SuppressRestartsException.class)
                .rootCause()
                .isInstanceOf(DatasetException.class)
                .hasMessage("the lengths are not on this machine");
    }

    @Test
    void changedDatasetIsRefusedAtTheStart() {
        BatchPlan plan = new BatchPlan(10, 4, false, 1, 0, 1);
        EpochOrder order = new EpochOrder(0, 10, Shuffle.NONE);
        RangeReader<Sample> reader = new RangeReader<>(
                Sample.class,
                context,
                () -> new PositionReader(
                        plan,
                        order,
                        Sources.single(plan.size()),
                        List.of(new NamedDataset("fake", FakeDataset.inMemory(11))),
                        null),
                OPTIONS,
                null);
        assertThatThrownBy(reader::start)
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("dataset fake has 11 samples, but had 10");
    }

    @Test
    void closingInterruptsAReadAndThenClosesTheDataset() throws Exception {
        FakeDataset dataset = FakeDataset.inFiles(100);
        assertThat(dataset.slow(0).getCount()).isEqualTo(1);
        RangeReader<Sample> reader = reader(dataset);
        reader.start();
        reader.addSplits(List.of(new Range(0, 4), new Range(4, 8)));
        emit(reader, 4);
        reader.close();

        assertThat(dataset.closed()).isTrue();
    }

    /** Polls until this many samples are emitted, and waits as a task does; returns the positions since the last clear. */
    private List<Long> emit(RangeReader<Sample> reader, int samples) throws Exception {
        int until = output.getEmittedRecords().size() + samples;
        while (output.getEmittedRecords().size() < until) {
            InputStatus status = reader.pollNext(output);
            if (status == InputStatus.NOTHING_AVAILABLE) {
                reader.isAvailable().get(5, TimeUnit.MINUTES);
            }
            assertThat(status).isNotEqualTo(InputStatus.END_OF_INPUT);
        }
        return emitted();
    }

    private List<Long> emitted() {
        return output.getEmittedRecords().stream().map(Sample::position).toList();
    }

    private static List<Long> positions(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private long gauge(String name) {
        Gauge<Long> gauge = metrics.<Long>getGauge(Figure.GROUP, name).orElseThrow();
        return gauge.getValue();
    }
}
