package io.millrace.source;

import java.io.IOException;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A feed that reads on the task's thread, for datasets in memory: passing samples from thread to thread would cost more
 * than reading them. Each block has so few samples that they are still in the CPU's cache when the next stage reads
 * them, and so many that the cost of measuring the time is small for each sample.
 */
final class ResidentFeed implements Feed {
    private static final int STEP_SAMPLES = 128;
    private static final long STEP_BYTES = 1 << 16;

    private final PositionReader reader;
    private final boolean inRows;
    private final PriorityQueue<Range> ranges = new PriorityQueue<>(Comparator.comparingLong(Range::from));
    private @Nullable Range current;
    private long next;

    /**
     * Creates a feed without ranges.
     *
     * @param inRows whether blocks may have {@link io.millrace.sample.SampleRows}
     */
    ResidentFeed(PositionReader reader, boolean inRows) {
        this.reader = reader;
        this.inRows = inRows;
    }

    @Override
    public void add(Range range) {
        ranges.add(range);
    }

    @Override
    public @Nullable SampleBlock poll() throws IOException {
        if (current == null) {
            current = ranges.poll();
            if (current == null) {
                return null;
            }
            next = current.from();
        }
        SampleBlock block = SampleBlock.read(reader, current, next, STEP_SAMPLES, STEP_BYTES, inRows);
        next += block.count();
        if (next == current.to()) {
            current = null;
        }
        return block;
    }

    @Override
    public void clear() {
        ranges.clear();
        current = null;
    }

    @Override
    public void close() {}
}
