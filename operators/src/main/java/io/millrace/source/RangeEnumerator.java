package io.millrace.source;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/**
 * The Flink enumerator, which passes messages between the readers and the {@link RangeWindow}. Flink calls it on the
 * coordinator's thread only.
 *
 * <p>A reader gets no answer between the enumerator's part of a checkpoint and its own. In this time Flink keeps messages back. If the
 * job fails meanwhile, Flink 2.3 loses them, and the next checkpoint waits for them until it times out: the readers then wait too,
 * for minutes.
 */
final class RangeEnumerator implements SplitEnumerator<Range, EnumeratorState> {
    private static final long NONE = -1;

    private final SplitEnumeratorContext<Range> context;
    private final RangeWindow window;
    private final RunIdentity identity;

    /** The latest checkpoint that the enumerator has stored its part of, while some readers have not; otherwise {@link #NONE}. */
    private long checkpoint = NONE;

    /** The readers that have passed the barrier of {@link #checkpoint}, or have started since. */
    private final Set<Integer> passed = new HashSet<>();

    RangeEnumerator(SplitEnumeratorContext<Range> context, RangeWindow window, RunIdentity identity) {
        this.context = context;
        this.window = window;
        this.identity = identity;
    }

    @Override
    public void start() {}

    @Override
    public void handleSourceEvent(int reader, SourceEvent event) {
        if (event instanceof ReaderStarted begun) {
            passed.add(reader);
            window.start(reader, begun.held(), begun.requested());
        } else if (event instanceof RangeFinished done) {
            window.finish(reader, done.range(), done.requested());
        } else if (event instanceof BarrierPassed report) {
            if (report.checkpoint() == checkpoint) {
                passed.add(reader);
            }
        } else {
            throw new IllegalArgumentException("reader " + reader + " sent an unknown event: " + event);
        }
        answer();
    }

    @Override
    public void addSplitsBack(List<Range> ranges, int reader) {
        window.fail(reader, ranges);
        answer();
    }

    /** Does nothing, because the reader reports its start with {@link ReaderStarted}. */
    @Override
    public void addReader(int reader) {}

    @Override
    public void handleSplitRequest(int reader, @Nullable String host) {
        throw new IllegalStateException(
                "reader " + reader + " requested a split, but readers request ranges by their events");
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        checkpoint = checkpointId;
        passed.clear();
        EnumeratorState state = window.state();
        return new EnumeratorState(state.next(), state.returned(), identity);
    }

    /**
     * Answers the readers again. At the end of a checkpoint that completes, nothing is to be done: its readers report that they have
     * passed the barrier, unless the job stops with a savepoint. Then their tasks end, and an answer would be lost, which Flink
     * takes for a failure.
     */
    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        if (checkpointId >= checkpoint) {
            checkpoint = NONE;
            answer();
        }
    }

    @Override
    public void close() {}

    private boolean reachable(int reader) {
        return checkpoint == NONE || passed.contains(reader);
    }

    private void answer() {
        int readers = context.currentParallelism();
        // Between its failure and its reset a reader is not registered, and assigning a range to it is an error.
        if (context.registeredReaders().size() < readers) {
            return;
        }
        for (RangeWindow.Answer answer = window.answer(readers, this::reachable);
                answer != null;
                answer = window.answer(readers, this::reachable)) {
            Range range = answer.range();
            if (range == null) {
                context.signalNoMoreSplits(answer.reader());
            } else {
                context.assignSplit(range, answer.reader());
            }
        }
    }
}
