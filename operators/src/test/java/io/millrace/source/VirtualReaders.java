package io.millrace.source;

import io.millrace.source.RangeWindow.Answer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.IntToDoubleFunction;

/**
 * A simulation of readers of given speeds with a {@link RangeWindow}, in simulated time, because no test machine has
 * enough cores for them. Messages take no time.
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
     * Creates readers that hold no ranges.
     *
     * @param secondsPerSample the simulated time of each reader for a sample, in seconds
     */
    VirtualReaders(long positions, ReadOptions options, int readers, IntToDoubleFunction secondsPerSample) {
        this.window = new RangeWindow(positions, options, new EnumeratorState(0, List.of()));
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
        assignRanges();
    }

    /** Runs until no reader has a range left, or until this many ranges are finished. */
    VirtualReaders run(long mostRanges) {
        for (Done done = events.poll(); done != null; done = ranges < mostRanges ? events.poll() : null) {
            now = done.at();
            ranges++;
            samples[done.reader()] += done.range().length();
            busy[done.reader()] = false;
            window.finish(done.reader(), done.range(), 1);
            work(done.reader());
            assignRanges();
        }
        return this;
    }

    private void assignRanges() {
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

    /** Returns the ranges that a reader holds. */
    List<Range> held(int reader) {
        List<Range> held = new ArrayList<>(queues.get(reader));
        events.stream().filter(done -> done.reader() == reader).forEach(done -> held.add(done.range()));
        return held;
    }

    /** Returns the number of finished ranges. */
    long ranges() {
        return ranges;
    }

    /** Returns the number of samples that a reader finished. */
    long samples(int reader) {
        return samples[reader];
    }

    /** Returns the samples of all readers per second of simulated time. */
    double samplesPerSecond() {
        long all = 0;
        for (long one : samples) {
            all += one;
        }
        return all / now;
    }

    /** Returns the largest distance from the lowest unfinished position to the end of the farthest assigned range. */
    long widest() {
        return widest;
    }
}
