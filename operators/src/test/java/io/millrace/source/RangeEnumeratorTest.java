package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext.SplitAssignmentState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RangeEnumeratorTest {
    private static final ReadOptions TENS = new ReadOptions(10, 4, 1, 1);

    private final TestingSplitEnumeratorContext<Range> context = new TestingSplitEnumeratorContext<>(2);
    private final RangeEnumerator enumerator = new RangeEnumerator(
            context, new RangeWindow(50, TENS, new EnumeratorState(0, List.of())), RunIdentity.UNKNOWN);

    @AfterEach
    void close() {
        enumerator.close();
    }

    @Test
    void rangesAreAssignedOnceAllReadersHaveStarted() {
        enumerator.start();
        start(0, List.of(), 2);
        assertThat(context.getSplitAssignments()).isEmpty();

        start(1, List.of(), 1);
        assertThat(assigned(0)).containsExactly(new Range(0, 10), new Range(10, 20));
        assertThat(assigned(1)).containsExactly(new Range(20, 30));
    }

    @Test
    void finishedRangeIsAnsweredWithTheNextAndFinallyWithNoMore() {
        start(0, List.of(), 1);
        start(1, List.of(), 0);
        for (int i = 0; i < 5; i++) {
            enumerator.handleSourceEvent(0, new RangeFinished(new Range(10L * i, 10L * i + 10), 1));
        }

        assertThat(assigned(0)).hasSize(5);
        assertThat(assignments(0).hasReceivedNoMoreSplitsSignal()).isTrue();
        assertThat(enumerator.snapshotState(1)).isEqualTo(new EnumeratorState(50, List.of()));
    }

    @Test
    void rangesOfAFailedReaderAreAssignedToTheNextReader() {
        start(0, List.of(), 1);
        start(1, List.of(), 1);
        enumerator.addSplitsBack(List.of(new Range(0, 10)), 0);
        assertThat(enumerator.snapshotState(1)).isEqualTo(new EnumeratorState(20, List.of(new Range(0, 10))));
        enumerator.handleSourceEvent(1, new BarrierPassed(1));

        enumerator.handleSourceEvent(1, new RangeFinished(new Range(10, 20), 1));
        assertThat(assigned(1)).as("reader 0 has not come back").containsExactly(new Range(10, 20));

        start(0, List.of(), 0);
        assertThat(assigned(1)).containsExactly(new Range(10, 20), new Range(0, 10));
    }

    /** Flink keeps a message back that is sent to a reader in this time, and loses it when the job fails. */
    @Test
    void readerGetsNoRangeBetweenTheEnumeratorsSnapshotAndItsOwn() {
        start(0, List.of(), 1);
        start(1, List.of(), 1);
        enumerator.snapshotState(7);
        finish(0, new Range(0, 10));
        finish(1, new Range(10, 20));
        enumerator.handleSourceEvent(0, new BarrierPassed(6));
        assertThat(assigned(0)).hasSize(1);
        assertThat(assigned(1)).hasSize(1);

        enumerator.handleSourceEvent(1, new BarrierPassed(7));
        assertThat(assigned(1))
                .as("it does not wait for reader 0")
                .containsExactly(new Range(10, 20), new Range(20, 30));
        assertThat(assigned(0)).hasSize(1);
        enumerator.handleSourceEvent(0, new BarrierPassed(7));
        assertThat(assigned(0)).containsExactly(new Range(0, 10), new Range(30, 40));

        enumerator.snapshotState(8);
        enumerator.notifyCheckpointAborted(7);
        finish(0, new Range(30, 40));
        assertThat(assigned(0)).as("checkpoint 8 has not ended").hasSize(2);
        enumerator.notifyCheckpointAborted(8);
        assertThat(assigned(0)).containsExactly(new Range(0, 10), new Range(30, 40), new Range(40, 50));
    }

    /** A message to a task that has ended is lost, for which Flink fails the job. */
    @Test
    void readersOfAJobThatStopsWithASavepointGetNoRange() throws Exception {
        start(0, List.of(), 1);
        start(1, List.of(), 1);
        enumerator.snapshotState(7);
        finish(0, new Range(0, 10));
        enumerator.notifyCheckpointComplete(7);
        assertThat(assigned(0)).containsExactly(new Range(0, 10));
        assertThat(assigned(1)).containsExactly(new Range(10, 20));
    }

    @Test
    void readerThatStartsDuringACheckpointGetsRanges() {
        start(0, List.of(), 1);
        start(1, List.of(), 0);
        enumerator.snapshotState(7);
        enumerator.addSplitsBack(List.of(new Range(0, 10)), 0);
        enumerator.addSplitsBack(List.of(), 1);
        start(0, List.of(), 1);
        start(1, List.of(), 1);
        assertThat(assigned(0)).containsExactly(new Range(0, 10), new Range(0, 10));
        assertThat(assigned(1)).containsExactly(new Range(10, 20));
    }

    @Test
    void restoredRangesLimitTheWindow() {
        RangeEnumerator restored = new RangeEnumerator(
                context, new RangeWindow(1000, TENS, new EnumeratorState(50, List.of())), RunIdentity.UNKNOWN);
        register(0);
        register(1);
        restored.handleSourceEvent(0, new ReaderStarted(List.of(new Range(7, 10)), 1));
        restored.handleSourceEvent(1, new ReaderStarted(List.of(), 1));
        assertThat(context.getSplitAssignments()).as("50 is 4 ranges beyond 7").isEmpty();

        restored.handleSourceEvent(0, new RangeFinished(new Range(7, 10), 1));
        assertThat(assigned(0))
                .as("reader 1 waited for it, so its ranges are short")
                .containsExactly(new Range(50, 55), new Range(65, 70));
        assertThat(assigned(1)).containsExactly(new Range(55, 65));
    }

    @Test
    void unknownEventsAndSplitRequestsAreRefused() {
        assertThatThrownBy(() -> enumerator.handleSourceEvent(0, new SourceEvent() {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown event");
        assertThatThrownBy(() -> enumerator.handleSplitRequest(0, null)).isInstanceOf(IllegalStateException.class);
    }

    private void finish(int reader, Range range) {
        enumerator.handleSourceEvent(reader, new RangeFinished(range, 1));
    }

    private void start(int reader, List<Range> held, int requested) {
        register(reader);
        enumerator.handleSourceEvent(reader, new ReaderStarted(held, requested));
    }

    private void register(int reader) {
        if (!context.registeredReaders().containsKey(reader)) {
            context.registerReader(reader, "here");
        }
        enumerator.addReader(reader);
    }

    private List<Range> assigned(int reader) {
        return assignments(reader).getAssignedSplits();
    }

    private SplitAssignmentState<Range> assignments(int reader) {
        return Objects.requireNonNull(context.getSplitAssignments().get(reader));
    }
}
