package io.millrace.source;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules that choose the next range and its reader, and decide whether the range may be assigned yet.
 *
 * <p>Every position is in one of four states: ahead (never assigned), returned, held by a reader, or finished.
 * Returned ranges are assigned before new ones, lowest first. A range is held back when its first position is a whole
 * window or more beyond the lowest unfinished position. This bounds the number of samples that wait downstream until
 * the order is restored. The lowest unfinished range itself is never held back, so the window cannot stop a run.
 *
 * <p>A reader that is much slower than the others gets shorter ranges. If it got whole ranges, the lowest unfinished
 * position would stay for a long time in the ranges that it holds, and the other readers would wait at the end of the
 * window. One Flink slot that is ten times slower would then cost most of the run's speed instead of its own share.
 *
 * <p>Not thread-safe: the enumerator's thread owns it.
 */
final class RangeWindow {
    /**
     * The answer to a reader.
     *
     * @param reader the number of the reader
     * @param range the reader's next range, or null when there are no more ranges for it
     */
    record Answer(int reader, @Nullable Range range) {}

    private record Held(Range range, int reader) {}

    private final long positions;
    private final int rangeSize;
    private final long windowPositions;

    private long next;
    private final RangeSet returned = new RangeSet();
    private final TreeMap<Long, Held> heldByStart = new TreeMap<>();

    /** The first positions of the ranges that each reader holds. */
    private final Map<Integer, Set<Long>> startsByReader = new HashMap<>();

    private final ReaderSpeeds speeds = new ReaderSpeeds();

    /** The first position of the latest range for which the other readers waited. */
    private long lateStart = -1;

    /** The readers whose ranges are known. */
    private final Set<Integer> started = new HashSet<>();

    /**
     * Readers that have been informed that there are no more ranges. A second message could reach a task that has
     * ended.
     */
    private final Set<Integer> dismissed = new HashSet<>();

    /** One entry for each range that a reader has requested, oldest first. */
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();

    /**
     * Creates a window over the rest of the run.
     *
     * @param positions the number of positions of the run, {@link Long#MAX_VALUE} when endless
     * @param state the state from which the run continues
     * @throws IllegalArgumentException when the state is beyond the end of the run
     */
    RangeWindow(long positions, ReadOptions options, EnumeratorState state) {
        if (state.next() > positions) {
            throw new IllegalArgumentException(
                    "the checkpoint is at position " + state.next() + ", but this run has only " + positions
                            + ": it belongs to another run, or the run has fewer epochs now");
        }
        this.positions = positions;
        this.rangeSize = options.rangeSize();
        this.windowPositions = (long) options.window() * rangeSize;
        this.next = state.next();
        state.returned().forEach(returned::add);
    }

    /**
     * Records the start of a reader, the ranges that it holds, and the number of further ranges that it requests. This
     * replaces all earlier records of the reader.
     */
    void start(int reader, List<Range> held, int requested) {
        forget(reader);
        started.add(reader);
        for (Range range : held) {
            // The reader will emit these ranges in any case, so its report takes precedence over the enumerator's
            // state.
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

    /** Records that a reader has emitted a range, and the number of further ranges that it requests. */
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
     * Records that a reader failed and will start again from a checkpoint. The ranges that were assigned to it since
     * that checkpoint come back. {@link #start} reports the ranges that it held at the checkpoint.
     */
    void fail(int reader, List<Range> back) {
        forget(reader);
        back.forEach(returned::add);
    }

    /** Returns the next answer to a reader, of readers that are all reachable. */
    @Nullable
    Answer answer(int readers) {
        return answer(readers, reader -> true);
    }

    /**
     * Returns the next answer to a reader. The result is null when no answer is possible now: no reader waits that can be reached, not
     * all readers have started, the window is full, or the last ranges are assigned and not finished yet.
     *
     * @param readers the number of readers, at least 1
     * @param reachable whether a reader can be answered now
     */
    @Nullable
    Answer answer(int readers, IntPredicate reachable) {
        Integer reader = waiting.stream().filter(reachable::test).findFirst().orElse(null);
        if (reader == null || started.size() < readers) {
            return null;
        }
        Range candidate = candidate(rangeSize / Math.min(rangeSize, speeds.parts(reader, readers)));
        if (candidate == null) {
            if (!heldByStart.isEmpty()) {
                return null; // a job makes no more checkpoints after one of its readers has ended
            }
            waiting.removeIf(reader::equals);
            dismissed.add(reader);
            return new Answer(reader, null);
        }
        if (candidate.from() - lowestUnfinished() >= windowPositions) {
            markLate(readers);
            return null;
        }
        waiting.removeFirstOccurrence(reader);
        returned.remove(candidate);
        next = Math.max(next, candidate.to());
        hold(candidate, reader);
        return new Answer(reader, candidate);
    }

    /**
     * Returns the lowest position that is not known to be finished; the end of the run when all are finished.
     */
    long lowestUnfinished() {
        long lowest = next;
        Range first = returned.first();
        if (first != null) {
            lowest = Math.min(lowest, first.from());
        }
        return heldByStart.isEmpty() ? lowest : Math.min(lowest, heldByStart.firstKey());
    }

    /** Returns the unfinished positions that no reader holds. */
    EnumeratorState state() {
        return new EnumeratorState(next, returned.ranges());
    }

    /** Returns the lowest range that no reader holds, cut to {@code most} positions; null when there is none. */
    private @Nullable Range candidate(int most) {
        Range first = returned.first();
        if (first == null && next >= positions) {
            return null;
        }
        long from = first == null ? next : first.from();
        long to = first == null ? positions : first.to();
        // A returned range is longer than the range size when the size was larger at the time of the checkpoint.
        return new Range(from, to - from > most ? from + most : to);
    }

    /** Records that the other readers wait for the lowest range, once for each such range. */
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
        speeds.assigned(reader);
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
