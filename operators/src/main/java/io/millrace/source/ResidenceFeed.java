package io.millrace.source;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A feed that reads ranges on the task's thread while the datasets are in memory, and on I/O threads otherwise. What it has begun in
 * one way comes before what it begins in the other.
 */
final class ResidenceFeed implements Feed {
    private final PositionReader reader;
    private final ResidentFeed resident;
    private final ReadAheadFeed readAhead;
    private Feed latest;

    /** Takes ownership of the feeds. */
    ResidenceFeed(PositionReader reader, ResidentFeed resident, ReadAheadFeed readAhead) {
        this.reader = reader;
        this.resident = resident;
        this.readAhead = readAhead;
        this.latest = readAhead;
    }

    @Override
    public void add(Range range) {
        latest = reader.resident() ? resident : readAhead;
        latest.add(range);
    }

    @Override
    public @Nullable SampleBlock poll() throws IOException {
        SampleBlock earlier = (latest == resident ? readAhead : resident).poll();
        return earlier == null ? latest.poll() : earlier;
    }

    @Override
    public void clear() {
        resident.clear();
        readAhead.clear();
    }

    @Override
    public void close() throws IOException {
        resident.close();
        readAhead.close();
    }
}
