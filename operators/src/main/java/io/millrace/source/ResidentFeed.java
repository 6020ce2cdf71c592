package io.millrace.source;

import java.io.IOException;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads on the task's thread, for datasets in memory: handing samples over between threads would cost more than reading
 * them. Steps are small, so that a sample is still in the processor's cache when the next stage takes it, and large
 * enough that measuring their time costs little per sample.
 */
final class ResidentFeed implements Feed {
    private static final int STEP_SAMPLES = 32;
    private static final long STEP_BYTES = 1 << 16;

    private final PositionReader reader;
    private final PriorityQueue<Range> ranges = new PriorityQueue<>(Comparator.comparingLong(Range::from));
    private @Nullable Range current;
    private long next;

    ResidentFeed(PositionReader reader) {
        this.reader = reader;
    }

    @Override
    public void add(Range range) {
        ranges.add(range);
    }

    @Override
    public @Nullable Block poll() throws IOException {
        if (current == null) {
            current = ranges.poll();
            if (current == null) {
                return null;
            }
            next = current.from();
        }
        Block block = Block.read(reader, current, next, STEP_SAMPLES, STEP_BYTES);
        next += block.count();
        if (next == current.to()) {
            current = null;
        }
        return block;
    }

    @Override
    public void close() {}
}
