package io.millrace.source;

import io.millrace.source.RangeWindow.Answer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.IntToDoubleFunction;

/**
 * Readers of given speeds round a {@link RangeWindow}, in a time that is only counted: what no test machine has the cores
 * for. Messages take no time.
 */
final class VirtualReaders {
    private record Done(double at, int reader, Range range) {}

    private final RangeWindow window;
    private final int readers;
    private final IntToDoubleFunction secondsPerSample;
    private final List<ArrayDeque<Range>> queues = new ArrayList<>();
    private final boolean[] busy;
    private final PriorityQueue<Done> events = new PriorityQueue<>(Comparator.comparingDouble(Done::at));
    private final long[] samples;
    private double now;
    private long ranges;
    private long widest;

    /**
     * All start with nothing in hand.
     *
     * @param secondsPerSample of each reader, in the time that is counted
     */
    VirtualReaders(long positions, ReadOptions options, int readers, IntToDoubleFunction secondsPerSample) {
        this.window = new RangeWindow(positions, options, EnumeratorState.START);
        this.readers = readers;
        this.secondsPerSample = secondsPerSample;
        this.busy = new boolean[readers];
        this.samples = new long[readers];
        for (int reader = 0; reader < readers; reader++) {
            queues.add(new ArrayDeque<>());
        }
        for (int reader = 0; reader < readers; reader++) {
            window.start(reader, List.of(), options.readAhead() + 1);
        }
        handOut();
    }

    /** Goes on until nobody has anything left, or for so many ranges. */
    VirtualReaders run(long mostRanges) {
        for (Done done = events.poll(); done != null; done = ranges < mostRanges ? events.poll() : null) {
            now = done.at();
            ranges++;
            samples[done.reader()] += done.range().length();
            busy[done.reader()] = false;
            window.finish(done.reader(), done.range(), 1);
            work(done.reader());
            handOut();
        }
        return this;
    }

    private void handOut() {
        for (Answer answer = window.answer(readers); answer != null; answer = window.answer(readers)) {
            Range range = answer.range();
            if (range != null) {
                queues.get(answer.reader()).add(range);
                widest = Math.max(widest, range.to() - window.lowestUnfinished());
                work(answer.reader());
            }
        }
    }

    private void work(int reader) {
        Range next = busy[reader] ? null : queues.get(reader).poll();
        if (next != null) {
            busy[reader] = true;
            events.add(new Done(now + next.length() * secondsPerSample.applyAsDouble(reader), reader, next));
        }
    }

    RangeWindow window() {
        return window;
    }

    /** What a reader has in hand. */
    List<Range> held(int reader) {
        List<Range> held = new ArrayList<>(queues.get(reader));
        events.stream().filter(done -> done.reader() == reader).forEach(done -> held.add(done.range()));
        return held;
    }

    /** Ranges that were finished. */
    long ranges() {
        return ranges;
    }

    /** Samples that a reader finished. */
    long samples(int reader) {
        return samples[reader];
    }

    /** All samples by the time that they took. */
    double samplesPerSecond() {
        long all = 0;
        for (long one : samples) {
            all += one;
        }
        return all / now;
    }

    /** The most positions that there were from the lowest unfinished one to the end of the farthest range handed out. */
    long widest() {
        return widest;
    }
}
