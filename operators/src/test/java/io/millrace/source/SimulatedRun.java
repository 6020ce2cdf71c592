package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.source.RangeWindow.Answer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A simulation of readers of a {@link RangeWindow} that fail as in Flink: their state and their output return to the
 * latest checkpoint, ranges that were assigned since return to the window, and only {@link #restoreWith} restores the
 * window itself. Every assignment is checked to be within the window and to come after lower ranges.
 */
final class SimulatedRun {
    /** A reader with its ranges as (original range, next position), and its output as an exactly-once sink keeps it. */
    private static final class Reader {
        final TreeMap<Long, long[]> held = new TreeMap<>();
        final List<Long> emitted = new ArrayList<>();
        final List<Range> assignedSince = new ArrayList<>();
        boolean started;
        boolean dismissed;

        List<Range> rest() {
            return held.values().stream().map(h -> new Range(h[2], h[1])).toList();
        }

        void hold(Range range) {
            held.put(range.from(), new long[] {range.from(), range.to(), range.from()});
        }
    }

    /** The stored state of one reader. */
    private record Stored(List<Range> rest, List<Long> emitted) {}

    private final long positions;
    private final ReadOptions options;
    private RangeWindow window;
    private List<Reader> readers = new ArrayList<>();

    /** The output of readers of earlier parallelisms, up to the checkpoint from which the present readers started. */
    private List<Long> earlier = List.of();

    private EnumeratorState storedState = new EnumeratorState(0, List.of());
    private List<Stored> stored = new ArrayList<>();

    SimulatedRun(long positions, ReadOptions options, int parallelism) {
        this.positions = positions;
        this.options = options;
        this.window = new RangeWindow(positions, options, new EnumeratorState(0, List.of()));
        for (int i = 0; i < parallelism; i++) {
            readers.add(new Reader());
            stored.add(new Stored(List.of(), List.of()));
        }
    }

    static List<Long> upTo(long positions) {
        return LongStream.range(0, positions).boxed().toList();
    }

    /** Returns all positions that count as emitted, sorted. */
    List<Long> history() {
        return Stream.concat(earlier.stream(), readers.stream().flatMap(r -> r.emitted.stream()))
                .sorted()
                .toList();
    }

    /** Lets one reader emit one position of its lowest range. */
    void emit(int which) {
        int number = which % readers.size();
        Reader reader = readers.get(number);
        if (!reader.started || reader.held.isEmpty()) {
            return;
        }
        long[] lowest = reader.held.firstEntry().getValue();
        reader.emitted.add(lowest[2]++);
        if (lowest[2] == lowest[1]) {
            reader.held.remove(lowest[0]);
            window.finish(number, new Range(lowest[0], lowest[1]), reader.dismissed ? 0 : 1);
        }
        assignRanges();
    }

    /** Starts the lowest reader that is not running. */
    void startNext() {
        for (int i = 0; i < readers.size(); i++) {
            Reader reader = readers.get(i);
            if (!reader.started) {
                reader.started = true;
                window.start(i, reader.rest(), Math.max(0, options.readAhead() + 1 - reader.held.size()));
                assignRanges();
                return;
            }
        }
    }

    /** Takes a checkpoint, as Flink does only while all readers run. */
    void checkpoint() {
        if (readers.stream().allMatch(r -> r.started)) {
            storedState = window.state();
            stored = new ArrayList<>();
            for (Reader reader : readers) {
                stored.add(new Stored(reader.rest(), List.copyOf(reader.emitted)));
                reader.assignedSince.clear();
            }
        }
    }

    void failOneReader(int which) {
        int number = which % readers.size();
        Reader restored = new Reader();
        stored.get(number).rest().forEach(restored::hold);
        restored.emitted.addAll(stored.get(number).emitted());
        List<Range> back = readers.set(number, restored).assignedSince;
        window.fail(number, List.copyOf(back));
        assignRanges();
    }

    void failAllReaders() {
        for (int i = 0; i < readers.size(); i++) {
            failOneReader(i);
        }
    }

    /** Restores all state, including the window, with this number of readers. */
    void restoreWith(int parallelism) {
        List<Long> history = new ArrayList<>(earlier);
        stored.forEach(s -> history.addAll(s.emitted()));
        ArrayDeque<Range> rests = new ArrayDeque<>();
        stored.forEach(s -> rests.addAll(s.rest()));
        earlier = history;
        readers = new ArrayList<>();
        stored = new ArrayList<>();
        for (int i = 0; i < parallelism; i++) {
            readers.add(new Reader());
        }
        for (int i = 0; !rests.isEmpty(); i++) {
            readers.get(i % parallelism).hold(rests.remove());
        }
        readers.forEach(r -> stored.add(new Stored(r.rest(), List.of())));
        window = new RangeWindow(positions, options, storedState);
    }

    /** Starts all readers and lets them emit until none has a position left. */
    void finish() {
        readers.forEach(r -> startNext());
        for (long step = 0; readers.stream().anyMatch(r -> !r.dismissed || !r.held.isEmpty()); step++) {
            assertThat(step).as("steps without an end: " + history()).isLessThan(positions * readers.size() + 10);
            for (int i = 0; i < readers.size(); i++) {
                emit(i);
            }
        }
    }

    private void assignRanges() {
        for (Answer answer = window.answer(readers.size()); answer != null; answer = window.answer(readers.size())) {
            Reader reader = readers.get(answer.reader());
            assertThat(reader.started).as("reader runs").isTrue();
            assertThat(reader.dismissed)
                    .as("reader was informed that there are no more ranges")
                    .isFalse();
            Range range = answer.range();
            if (range == null) {
                reader.dismissed = true;
                continue;
            }
            reader.hold(range);
            reader.assignedSince.add(range);
            long lowest = readers.stream()
                    .flatMap(r -> r.held.values().stream())
                    .map(h -> h[0])
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
            assertThat(range.from() - lowest).isLessThan((long) options.window() * options.rangeSize());
            assertThat(window.state().returned()).allMatch(r -> r.from() >= range.to());
        }
    }
}
