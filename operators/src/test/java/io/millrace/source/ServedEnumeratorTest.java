package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.source.ServedEvent.Assigned;
import io.millrace.source.ServedEvent.Finished;
import io.millrace.source.ServedEvent.Rewind;
import io.millrace.source.ServedEvent.Rewound;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServedEnumeratorTest {
    private static final String RUN = "a run of ServedEnumeratorTest";
    private static final ReadOptions TENS = new ReadOptions(10, 4, 1, 1);

    private final TestingSplitEnumeratorContext<Range> context = new TestingSplitEnumeratorContext<>(2);
    private final SeekBoard board = SeekBoard.open(RUN);
    private ServedEnumerator enumerator = new ServedEnumerator(context, RUN, 100, TENS);

    @BeforeEach
    void start() {
        enumerator.start();
    }

    @AfterEach
    void close() {
        enumerator.close();
        board.close();
        assertThat(SeekBoard.runs()).isZero();
        assertThat(context.getSplitAssignments().values())
                .as("splits, which Flink keeps until a checkpoint")
                .allSatisfy(state -> assertThat(state.getAssignedSplits()).isEmpty());
    }

    @Test
    void nothingIsAssignedBeforeAllReadersHaveRewoundAndTheGenerationBegins() {
        start(0);
        start(1);
        assertThat(sent(0)).isEmpty();

        seek(1, 33);
        assertThat(sent(0)).containsExactly(new Rewind(1));
        assertThat(sent(1)).containsExactly(new Rewind(1));
        send(0, new Rewound(1, 2));
        begin(1);
        assertThat(sent(0)).isEmpty();

        send(1, new Rewound(1, 1));
        assertThat(sent(0)).containsExactly(new Assigned(1, new Range(33, 43)), new Assigned(1, new Range(43, 53)));
        assertThat(sent(1)).containsExactly(new Assigned(1, new Range(53, 63)));
        send(1, new Finished(1, new Range(53, 63), 1));
        assertThat(sent(1)).containsExactly(new Assigned(1, new Range(63, 73)));
    }

    @Test
    void rangesWaitForTheBeginning() {
        startBoth();
        seek(1, 0);
        rewound(1);
        assertThat(sent(0)).containsExactly(new Rewind(1));
        begin(1);
        assertThat(sent(0)).containsExactly(new Assigned(1, new Range(0, 10)));
    }

    @Test
    void readerThatStartsLaterIsRewound() {
        seek(1, 0);
        start(0);
        assertThat(sent(0)).containsExactly(new Rewind(1));
        start(1);
        assertThat(sent(1)).containsExactly(new Rewind(1));
    }

    @Test
    void seekOvertakesAGenerationWhoseReportsAreThenIgnored() {
        startBoth();
        seek(1, 0);
        rewound(1);
        begin(1);
        seek(2, 50);
        clearSent();

        send(0, new Finished(1, new Range(0, 10), 1));
        send(0, new Rewound(1, 2));
        send(0, new Rewound(2, 1));
        send(1, new Rewound(2, 1));
        board.begin(1);
        context.triggerAllActions();
        assertThat(sent(0)).isEmpty();
        begin(2);
        assertThat(sent(0)).containsExactly(new Assigned(2, new Range(50, 60)));
        assertThat(sent(1)).containsExactly(new Assigned(2, new Range(60, 70)));
    }

    @Test
    void beginningThatASeekOvertakesOnTheCoordinatorsThreadIsIgnored() {
        startBoth();
        board.seek(1, 0);
        board.begin(1);
        board.seek(2, 50);
        context.triggerAllActions();
        rewound(1);
        rewound(2);
        assertThat(sent(0)).containsExactly(new Rewind(1), new Rewind(2));
    }

    @Test
    void readersWaitAtTheEndOfTheRunUntilASeekOrTheFinish() {
        startBoth();
        seek(1, 95);
        rewound(1);
        begin(1);
        assertThat(sent(0)).contains(new Assigned(1, new Range(95, 100)));
        send(0, new Finished(1, new Range(95, 100), 1));
        assertThat(ended(0)).isFalse();

        seek(2, 90);
        rewound(2);
        clearSent();
        begin(2);
        assertThat(sent(0)).containsExactly(new Assigned(2, new Range(90, 100)));
        seek(3, 100);
        rewound(3);
        clearSent();
        begin(3);
        assertThat(sent(0)).as("the sought position is the end").isEmpty();

        board.finish();
        context.triggerAllActions();
        assertThat(ended(0)).isTrue();
        assertThat(ended(1)).isTrue();
    }

    @Test
    void readerThatStartsAfterTheFinishEnds() {
        start(0);
        seek(1, 0);
        board.finish();
        context.triggerAllActions();
        clearSent();
        assertThat(ended(1)).isFalse();
        start(1);
        assertThat(ended(1)).isTrue();
        assertThat(sent(1)).isEmpty();
    }

    @Test
    void failedReaderEndsItsGeneration() {
        startBoth();
        seek(1, 0);
        rewound(1);
        begin(1);
        fail(0);
        clearSent();
        send(1, new Finished(1, new Range(10, 20), 1));
        start(0);
        send(0, new Rewound(1, 1));
        assertThat(sent(0)).isEmpty();
        assertThat(sent(1)).isEmpty();

        seek(2, 10);
        rewound(2);
        begin(2);
        assertThat(sent(0)).containsExactly(new Rewind(2), new Assigned(2, new Range(10, 20)));
    }

    @Test
    void failureOfAReaderThatHasRewoundEndsTheGenerationBeforeItBegins() {
        startBoth();
        seek(1, 0);
        send(0, new Rewound(1, 1));
        fail(0);
        clearSent();
        start(0);
        assertThat(sent(0)).isEmpty();
    }

    @Test
    void seekDuringARestartIsPassedToTheNextAttemptOfTheReader() {
        startBoth();
        context.registeredReaders().remove(0);
        seek(1, 0);
        enumerator.addSplitsBack(List.of(), 0);
        assertThat(sent(0)).isEmpty();
        start(0);
        assertThat(sent(0)).containsExactly(new Rewind(1));
        rewound(1);
        begin(1);
        assertThat(sent(0)).containsExactly(new Assigned(1, new Range(0, 10)));
    }

    @Test
    void nextEnumeratorReceivesASeekThatHasNotBegun() {
        board.seek(1, 20);
        replace();
        startBoth();
        assertThat(sent(0)).containsExactly(new Rewind(1));
        rewound(1);
        begin(1);
        assertThat(sent(0)).containsExactly(new Assigned(1, new Range(20, 30)));

        replace();
        clearSent();
        startBoth();
        assertThat(sent(0)).as("a generation that began").isEmpty();
    }

    @Test
    void enumeratorThatWasClosedBeforeItsStartLeavesNothing() {
        ServedEnumerator late = new ServedEnumerator(context, "another run", 100, TENS);
        late.close();
        late.start();
        assertThat(SeekBoard.runs()).isEqualTo(1);
    }

    @Test
    void positionAfterTheEndFailsTheJobForGood() {
        board.seek(1, 101);
        assertThatThrownBy(context::triggerAllActions)
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .hasMessage("expected a position up to 100, the end of the run, found a seek to 101");
    }

    @Test
    void unknownEventsAndSplitRequestsAreRefused() {
        assertThatThrownBy(() -> send(0, new SourceEvent() {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown event");
        assertThatThrownBy(() -> enumerator.handleSplitRequest(0, null)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void checkpointHasAnEmptyState() {
        seek(1, 50);
        assertThat(enumerator.snapshotState(1)).isEqualTo(new EnumeratorState(0, List.of()));
    }

    private void startBoth() {
        start(0);
        start(1);
    }

    private void start(int reader) {
        context.registerReader(reader, "here");
        enumerator.addReader(reader);
        send(reader, new ReaderStarted(List.of(), 2));
    }

    private void fail(int reader) {
        context.registeredReaders().remove(reader);
        enumerator.addSplitsBack(List.of(), reader);
    }

    private void replace() {
        enumerator.close();
        context.registeredReaders().clear();
        enumerator = new ServedEnumerator(context, RUN, 100, TENS);
        enumerator.start();
        context.triggerAllActions();
    }

    private void seek(long generation, long position) {
        board.seek(generation, position);
        context.triggerAllActions();
    }

    private void begin(long generation) {
        board.begin(generation);
        context.triggerAllActions();
    }

    private void rewound(long generation) {
        send(0, new Rewound(generation, 1));
        send(1, new Rewound(generation, 1));
    }

    private void send(int reader, SourceEvent event) {
        enumerator.handleSourceEvent(reader, event);
    }

    /** Returns the events that a reader was sent since the last call. */
    private List<SourceEvent> sent(int reader) {
        List<SourceEvent> events = context.getSentEvents().get(reader);
        List<SourceEvent> copy = events == null ? List.of() : new ArrayList<>(events);
        context.getSentEvents().remove(reader);
        return copy;
    }

    private void clearSent() {
        context.getSentEvents().clear();
    }

    private boolean ended(int reader) {
        var state = context.getSplitAssignments().get(reader);
        return state != null && state.hasReceivedNoMoreSplitsSignal();
    }
}
