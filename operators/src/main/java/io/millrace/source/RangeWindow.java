package io.millrace.source;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which range is handed out next, to whom, and whether it may be.
 *
 * <p>Every position is in one of four places: ahead (never handed out), returned, held by a reader, or finished.
 * Returned ranges are served before new ones, lowest first. Nothing is handed out whose first position is a whole window
 * beyond the lowest unfinished one, which bounds what has to wait downstream for the order to be restored. The lowest
 * unfinished range itself is never held back, so the window cannot stop a run.
 *
 * <p>A reader that is much slower than the others is given shorter ranges. With whole ones, those that it has in hand
 * would keep the lowest unfinished position back for as long as it takes for all of them, and the others would wait at
 * the window's end: one slot ten times slower would then cost most of the run's speed and not its own share.
 *
 * <p>Not thread-safe: the enumerator's thread owns it.
 */
final class RangeWindow {
    /**
     * What a reader is told.
     *
     * @param range its next range, or null: there are no more for it
     */
    record Answer(int reader, @Nullable Range range) {}

    private record Held(Range range, int reader) {}

    private final long positions;
    private final int rangeSize;
    private final long windowPositions;

    private long next;
    private final RangeSet returned = new RangeSet();
    private final TreeMap<Long, Held> heldByStart = new TreeMap<>();

    /** The first positions of what each reader holds. */
    private final Map<Integer, Set<Long>> startsByReader = new HashMap<>();

    private final ReaderSpeeds speeds = new ReaderSpeeds();

    /** The first position of the range that the others were last found waiting for. */
    private long lateStart = -1;

    /** Readers whose holdings are known. */
    private final Set<Integer> started = new HashSet<>();

    /** Readers that were told that there are no more; telling them again could reach a task that has ended. */
    private final Set<Integer> dismissed = new HashSet<>();

    /** One entry for each range that a reader asked for, oldest first. */
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();

    /**
     * A window over what the state leaves of the run.
     *
     * @param positions of the run, {@link Long#MAX_VALUE} when endless
     * @throws IllegalArgumentException when the state is beyond the end of the run
     */
    RangeWindow(long positions, ReadOptions options, EnumeratorState state) {
        if (state.next() > positions) {
            throw new IllegalArgumentException("the checkpoint stands at position " + state.next()
                    + ", but this run has only " + positions + ": it is another run's, or has fewer epochs now");
        }
        this.positions = positions;
        this.rangeSize = options.rangeSize();
        this.windowPositions = (long) options.window() * rangeSize;
        this.next = state.next();
        state.returned().forEach(returned::add);
    }

    /** A reader runs, holds these ranges and asks for so many more. Replaces what was known of it. */
    void start(int reader, List<Range> held, int requested) {
        forget(reader);
        started.add(reader);
        for (Range range : held) {
            // The reader will emit them whatever is thought here, so its word wins over the enumerator's state.
            returned.remove(range);
            if (range.to() > next) {
                if (range.from() > next) {
                    returned.add(new Range(next, range.from()));
                }
                next = range.to();
            }
            hold(range, reader);
        }
        request(reader, requested);
    }

    /** A reader has emitted a range that it held, and asks for so many more. */
    void finish(int reader, Range range, int requested) {
        Held held = heldByStart.get(range.from());
        if (held != null && held.reader() == reader && held.range().equals(range)) {
            heldByStart.remove(range.from());
            startsOf(reader).remove(range.from());
            speeds.finished(reader, range.length());
        }
        request(reader, requested);
    }

    /**
     * A reader failed and will start again from a checkpoint. These ranges, handed to it since, come back; what it held
     * then, it will name in {@link #start}.
     */
    void fail(int reader, List<Range> back) {
        forget(reader);
        back.forEach(returned::add);
    }

    /**
     * The next thing to say to a reader, or null when nothing may be said now: nobody asks, the window is full, or not
     * all readers have started.
     *
     * @param readers how many there are
     */
    @Nullable
    Answer answer(int readers) {
        Integer reader = waiting.peek();
        if (reader == null || started.size() < readers) {
            return null;
        }
        Range candidate = candidate(rangeSize / Math.min(rangeSize, speeds.parts(reader, readers)));
        if (candidate == null) {
            if (!heldByStart.isEmpty()) {
                return null; // with its first reader that ends a job ends to take checkpoints
            }
            waiting.removeIf(reader::equals);
            dismissed.add(reader);
            return new Answer(reader, null);
        }
        if (candidate.from() - lowestUnfinished() >= windowPositions) {
            markLate(readers);
            return null;
        }
        waiting.remove();
        returned.remove(candidate);
        next = Math.max(next, candidate.to());
        hold(candidate, reader);
        return new Answer(reader, candidate);
    }

    /** The lowest position that is not finished, as far as is known; the end of the run when all are. */
    long lowestUnfinished() {
        long lowest = next;
        Range first = returned.first();
        if (first != null) {
            lowest = Math.min(lowest, first.from());
        }
        return heldByStart.isEmpty() ? lowest : Math.min(lowest, heldByStart.firstKey());
    }

    /** What no reader has. */
    EnumeratorState state() {
        return new EnumeratorState(next, returned.ranges());
    }

    /** The lowest range that nobody has, of up to so many positions; null when there is none. */
    private @Nullable Range candidate(int most) {
        Range first = returned.first();
        if (first == null && next >= positions) {
            return null;
        }
        long from = first == null ? next : first.from();
        long to = first == null ? positions : first.to();
        // Returned ranges are longer than the range size where that was another when the checkpoint was written.
        return new Range(from, to - from > most ? from + most : to);
    }

    /** Once for each range that the others wait for. */
    private void markLate(int readers) {
        Map.Entry<Long, Held> lowest = heldByStart.firstEntry();
        if (lowest != null && lowest.getKey() != lateStart) {
            lateStart = lowest.getKey();
            Held late = lowest.getValue();
            speeds.late(late.reader(), rangeSize / late.range().length(), readers);
        }
    }

    private void hold(Range range, int reader) {
        heldByStart.put(range.from(), new Held(range, reader));
        startsOf(reader).add(range.from());
        speeds.given(reader);
    }

    private Set<Long> startsOf(int reader) {
        return startsByReader.computeIfAbsent(reader, first -> new HashSet<>());
    }

    private void request(int reader, int ranges) {
        for (int i = 0; i < ranges && !dismissed.contains(reader); i++) {
            waiting.add(reader);
        }
    }

    private void forget(int reader) {
        started.remove(reader);
        dismissed.remove(reader);
        waiting.removeIf(r -> r == reader);
        startsOf(reader).forEach(heldByStart::remove);
        startsByReader.remove(reader);
        speeds.forget(reader);
    }
}
