package io.millrace.source;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a served run's sink to the run's source: where to read, when to begin, and when to end. The
 * coordinator of the sink opens the board of its run, and the enumerator of the source attaches to it. Flink runs both
 * in the JVM of the JobManager, and gives enumerators no other way to meet coordinators of other operators.
 *
 * <p>The coordinator of the sink uses the board as follows:
 *
 * <ol>
 *   <li>{@link #seek} starts a new <i>generation</i>. Each reader drops the samples that it has not emitted, and emits a
 *       Flink watermark with the number of the generation. Nothing is read yet.
 *   <li>A sink's {@code processWatermark} is called with that number when all samples of older generations have arrived
 *       on all its channels. A seek that is overtaken by the next one may have no watermark of its own. Flink also
 *       sends the watermark {@link Long#MAX_VALUE} at the end of input.
 *   <li>When all sinks have received the watermark, {@link #begin} starts to read. From then until the next seek, all
 *       positions from the sought one on arrive, each once.
 *   <li>When a subtask of the sink restarts, the coordinator seeks again as soon as all subtasks are ready, because
 *       after a failure of a reader nothing is read before the next seek.
 *   <li>{@link #finish} ends the job. Readers drop what they have not emitted.
 * </ol>
 *
 * <p>A board remembers the latest commands while one side uses it, so neither side has to be there first. An enumerator
 * that attaches later, for example after Flink has restarted the whole job, receives the latest seek, unless that
 * generation had begun: such a generation ends with the enumerator that read it. An enumerator always receives
 * {@link #finish}.
 *
 * <p>Any thread may call the methods. They do not block.
 */
public final class SeekBoard implements AutoCloseable {
    /** The enumerator's side. The methods are called under a lock in the order of the commands and must not block. */
    interface Receiver {
        void seek(long generation, long position);

        void begin(long generation);

        void finish();

        /** Asks all readers what they wait for. */
        void ask();
    }

    private static final ConcurrentMap<String, Commands> RUNS = new ConcurrentHashMap<>();

    private final String run;
    private final Commands commands;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SeekBoard(String run) {
        this.run = run;
        this.commands = RUNS.compute(run, (name, known) -> {
            Commands joined = known == null ? new Commands() : known;
            joined.users++;
            return joined;
        });
    }

    /**
     * Opens the board of a run. The caller closes it.
     *
     * @param run the name that {@link DatasetSource#served} received
     */
    public static SeekBoard open(String run) {
        return new SeekBoard(run);
    }

    /** Opens the board of a run and replaces its receiver, which gets the commands that are still to be obeyed. */
    static SeekBoard attach(String run, Receiver receiver) {
        SeekBoard board = new SeekBoard(run);
        board.commands.attach(receiver);
        return board;
    }

    /** Returns the number of runs that have a board in this process. */
    static int runs() {
        return RUNS.size();
    }

    /**
     * Returns the generation of the latest seek, 0 before the first. A coordinator that takes the place of another
     * counts on from here.
     */
    public long generation() {
        return commands.generation();
    }

    /**
     * Ends the current generation and starts a new one. The seek may overtake an earlier one that has not begun. After
     * {@link #finish} it has no effect.
     *
     * @param generation the number of the new generation, greater than all before
     * @param position the first position to read, 0 or more. A position after the end of the run fails the job, and at
     *     the end of the run nothing is read
     * @throws IllegalArgumentException when an argument is out of its range
     */
    public void seek(long generation, long position) {
        commands.seek(generation, position);
    }

    /**
     * Starts to read. A second call, a call for a generation that another seek has overtaken, and a call after {@link
     * #finish} have no effect.
     *
     * @param generation the generation of a seek
     * @throws IllegalArgumentException when there was no seek of that generation yet
     */
    public void begin(long generation) {
        commands.begin(generation);
    }

    /**
     * Asks all readers what they wait for.
     *
     * @return what one of them has answered to the call before, as a clause for the user; null when it waits for nothing
     */
    public @Nullable String awaits() {
        return commands.awaits();
    }

    /** Receives the answer of a reader. */
    void answer(int reader, @Nullable String awaited) {
        commands.answer(reader, awaited);
    }

    /** Ends the run: the readers emit no further samples, and their input ends. A second call has no effect. */
    public void finish() {
        commands.finish();
    }

    /**
     * Leaves the board. The commands are forgotten when both sides have left. The receiver that was attached with this
     * object, if any, gets no further commands. A second call has no effect.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            RUNS.computeIfPresent(run, (name, known) -> --known.users == 0 ? null : known);
        }
    }

    /** Detaches a receiver and leaves the board. */
    void detach(Receiver receiver) {
        commands.detach(receiver);
        close();
    }

    /** The commands of one run. */
    private static final class Commands {
        /** The number of boards that share the commands, which the map's entry guards. */
        private int users;

        private @Nullable Receiver receiver;
        private long generation;
        private long position;
        private boolean begun;
        private boolean finished;

        /** What readers wait for, by their numbers. */
        private final Map<Integer, String> awaited = new TreeMap<>();

        synchronized @Nullable String awaits() {
            if (receiver != null && !finished) {
                receiver.ask();
            }
            return awaited.isEmpty() ? null : awaited.values().iterator().next();
        }

        synchronized void answer(int reader, @Nullable String clause) {
            if (clause == null) {
                awaited.remove(reader);
            } else {
                awaited.put(reader, clause);
            }
        }

        synchronized long generation() {
            return generation;
        }

        synchronized void attach(Receiver next) {
            receiver = next;
            if (finished) {
                next.finish();
            } else if (generation > 0 && !begun) {
                next.seek(generation, position);
            }
        }

        synchronized void detach(Receiver former) {
            if (receiver == former) { // another enumerator may have attached already
                receiver = null;
            }
        }

        synchronized void seek(long to, long at) {
            if (to <= generation || at < 0) {
                throw new IllegalArgumentException("expected a generation after " + generation
                        + " and a position of at least 0, found generation " + to + " and position " + at);
            }
            if (finished) {
                return;
            }
            generation = to;
            position = at;
            begun = false;
            awaited.clear();
            if (receiver != null) {
                receiver.seek(to, at);
            }
        }

        synchronized void begin(long which) {
            if (which > generation) {
                throw new IllegalArgumentException(
                        "generation " + which + " cannot begin, because the latest seek has generation " + generation);
            }
            if (finished || begun || which < generation) {
                return;
            }
            begun = true;
            if (receiver != null) {
                receiver.begin(which);
            }
        }

        synchronized void finish() {
            if (!finished) {
                finished = true;
                if (receiver != null) {
                    receiver.finish();
                }
            }
        }
    }
}
