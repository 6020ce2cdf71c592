package io.millrace.source;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * The Flink enumerator of a served run, in which the sink decides what is read next ({@link SeekBoard}). It has a new
 * {@link RangeWindow} for each generation and no state in checkpoints, because only the sink's clients know the
 * position.
 *
 * <p>A reader that fails ends its generation: nothing is read again before the next seek. At the end of a bounded run
 * the readers wait, because the sink may still seek back, until the sink finishes the run.
 *
 * <p>Ranges are assigned by events and not as splits. Flink keeps every split that was assigned since the last
 * checkpoint, and a served run makes no checkpoints.
 *
 * <p>Flink calls the enumerator on the coordinator's thread, except for {@link #close}. Commands of the board arrive on
 * any thread and continue on the coordinator's thread.
 */
final class ServedEnumerator implements SplitEnumerator<Range, EnumeratorState>, SeekBoard.Receiver {
    private final SplitEnumeratorContext<Range> context;
    private final String run;
    private final long positions;
    private final ReadOptions options;

    /** The board while the enumerator is attached to it, guarded by {@link #lock}. */
    private @Nullable SeekBoard board;

    private boolean closed;
    private final Object lock = new Object();

    /** The latest generation, 0 before the first seek. */
    private long generation;

    /** The window of the generation, or null when the generation has ended with a failure or there was none yet. */
    private @Nullable RangeWindow window;

    /** The readers that have emitted the watermark of the generation. */
    private final Set<Integer> rewound = new HashSet<>();

    private boolean begun;
    private boolean finished;

    /**
     * Creates an enumerator that assigns nothing before a seek.
     *
     * @param run the name of the run's board
     * @param positions the number of positions of the run, {@link Long#MAX_VALUE} when endless
     */
    ServedEnumerator(SplitEnumeratorContext<Range> context, String run, long positions, ReadOptions options) {
        this.context = context;
        this.run = run;
        this.positions = positions;
        this.options = options;
    }

    @Override
    public void start() {
        synchronized (lock) {
            if (!closed) { // Flink may close a coordinator before its thread has started the enumerator
                board = SeekBoard.attach(run, this);
            }
        }
    }

    @Override
    public void seek(long next, long position) {
        context.runInCoordinatorThread(() -> rewind(next, position));
    }

    @Override
    public void begin(long which) {
        context.runInCoordinatorThread(() -> {
            if (which == generation) {
                begun = true;
                assign();
            }
        });
    }

    @Override
    public void ask() {
        context.runInCoordinatorThread(() -> {
            ServedEvent.Ask ask = new ServedEvent.Ask(generation);
            context.registeredReaders().keySet().forEach(reader -> context.sendEventToSourceReader(reader, ask));
        });
    }

    @Override
    public void finish() {
        context.runInCoordinatorThread(() -> {
            finished = true;
            window = null;
            context.registeredReaders().keySet().forEach(context::signalNoMoreSplits);
        });
    }

    private void rewind(long next, long position) {
        if (position > positions) {
            throw new SuppressRestartsException(new IllegalArgumentException(
                    "expected a position up to " + positions + ", the end of the run, found a seek to " + position));
        }
        generation = next;
        window = new RangeWindow(positions, options, new EnumeratorState(position, List.of()));
        rewound.clear();
        begun = false;
        ServedEvent.Rewind rewind = new ServedEvent.Rewind(next);
        context.registeredReaders().keySet().forEach(reader -> context.sendEventToSourceReader(reader, rewind));
    }

    @Override
    public void handleSourceEvent(int reader, SourceEvent event) {
        if (event instanceof ReaderStarted) {
            started(reader);
        } else if (event instanceof ServedEvent.Rewound report) {
            RangeWindow current = window(report);
            if (current != null) {
                rewound.add(reader);
                current.start(reader, List.of(), report.requested());
            }
        } else if (event instanceof ServedEvent.Finished report) {
            RangeWindow current = window(report);
            if (current != null) {
                current.finish(reader, report.range(), report.requested());
            }
        } else if (event instanceof ServedEvent.Awaits answer) {
            synchronized (lock) {
                if (board != null) {
                    board.answer(reader, answer.awaited());
                }
            }
            return;
        } else {
            throw new IllegalArgumentException("reader " + reader + " sent an unknown event: " + event);
        }
        assign();
    }

    /** Passes the commands that a new reader has missed. The reader ignores a rewind that it has received already. */
    private void started(int reader) {
        if (finished) {
            context.signalNoMoreSplits(reader);
        } else if (window != null) {
            context.sendEventToSourceReader(reader, new ServedEvent.Rewind(generation));
        }
    }

    /** Returns the window that a report belongs to, or null when a seek, a failure or the end has overtaken it. */
    private @Nullable RangeWindow window(ServedEvent report) {
        return report.generation() == generation ? window : null;
    }

    /** Ends the generation, unless the reader that failed has not taken part in it yet. */
    @Override
    public void addSplitsBack(List<Range> ranges, int reader) {
        if (begun || rewound.contains(reader)) {
            window = null;
        }
    }

    /** Does nothing, because the reader reports its start with {@link ReaderStarted}. */
    @Override
    public void addReader(int reader) {}

    @Override
    public void handleSplitRequest(int reader, @Nullable String host) {
        throw new IllegalStateException(
                "reader " + reader + " requested a split, but readers request ranges by their events");
    }

    /** Returns a state without meaning, because a served run does not continue from a checkpoint. */
    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        return new EnumeratorState(0, List.of());
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (board != null) {
                board.detach(this);
                board = null;
            }
        }
    }

    private void assign() {
        RangeWindow current = window;
        int readers = context.currentParallelism();
        if (current == null || !begun || context.registeredReaders().size() < readers) {
            return;
        }
        for (RangeWindow.Answer answer = current.answer(readers); answer != null; answer = current.answer(readers)) {
            Range range = answer.range();
            if (range != null) { // otherwise the run is read to its end, and the reader waits for a seek or for the end
                context.sendEventToSourceReader(answer.reader(), new ServedEvent.Assigned(generation, range));
            }
        }
    }
}
