package io.millrace.source;

import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/**
 * The Flink enumerator, which passes messages between the readers and the {@link RangeWindow}. Flink calls it on the
 * coordinator's thread only.
 */
final class RangeEnumerator implements SplitEnumerator<Range, EnumeratorState> {
    private final SplitEnumeratorContext<Range> context;
    private final RangeWindow window;
    private final RunIdentity identity;

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
            window.start(reader, begun.held(), begun.requested());
        } else if (event instanceof RangeFinished done) {
            window.finish(reader, done.range(), done.requested());
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
        EnumeratorState state = window.state();
        return new EnumeratorState(state.next(), state.returned(), identity);
    }

    @Override
    public void close() {}

    private void answer() {
        int readers = context.currentParallelism();
        // Between its failure and its reset a reader is not registered, and assigning a range to it is an error.
        if (context.registeredReaders().size() < readers) {
            return;
        }
        for (RangeWindow.Answer answer = window.answer(readers); answer != null; answer = window.answer(readers)) {
            Range range = answer.range();
            if (range == null) {
                context.signalNoMoreSplits(answer.reader());
            } else {
                context.assignSplit(range, answer.reader());
            }
        }
    }
}
