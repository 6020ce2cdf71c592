package io.millrace.exchange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The exchange between ranks that are processes of one host. Floats go through a file in memory. The file is unlinked
 * once all ranks have opened it, so it never outlives the processes. The ranks wait for one another through loopback
 * connections, which end with their process.
 */
final class SharedMemoryTransport implements Transport {
    private final RankAddresses addresses;
    private final int rank;
    private final Mesh mesh;
    private FloatBlocks @Nullable [] rows;

    /** Volatile: the rank's thread sets it, and the closing thread reads it. */
    private volatile boolean summing;

    private volatile boolean closed; // set by the thread that closes, once

    SharedMemoryTransport(RankAddresses addresses, int rank, Listener listener) throws IOException {
        this.addresses = addresses;
        this.rank = rank;
        this.mesh = Mesh.of(addresses, rank, listener);
    }

    @Override
    public long @Nullable [][] gather(long[] mine) throws IOException {
        return mesh.gather(mine);
    }

    @Override
    public void sum(FloatBlocks mine, float[] weights) throws IOException {
        summing = true;
        FloatBlocks[] all = rows;
        if (all == null || all[rank].size() != mine.size()) {
            all = share(mine.size());
            rows = all;
        }
        copy(mine, all[rank], 0, mine.size());
        meet();
        FloatSegments segments = new FloatSegments(mine.size(), all.length);
        FloatBlocks results = all[rank];
        segments.reduce(rank, all, weights, results::write);
        meet();
        for (int segment = 0; segment < all.length; segment++) {
            copy(all[segment], mine, segments.from(segment), segments.to(segment));
        }
        summing = false;
        // The next sum writes to memory that other ranks may still read now. It cannot begin too early, because all
        // ranks gather values between two sums.
    }

    private FloatBlocks[] share(long floats) throws IOException {
        long bytes = Math.multiplyExact(floats, (long) addresses.ranks() * Float.BYTES);
        SharedFile.Place place = SharedFile.place(bytes);
        Path made = SharedFile.path(addresses.token(), place);
        try {
            if (rank == 0) {
                SharedFile.create(made, bytes);
            }
            long[][] places = exchanged(place == SharedFile.Place.MEMORY ? 1 : 0, floats);
            for (long[] other : places) {
                if (other[1] != floats) {
                    throw new ExchangeException("rank " + rank + " has " + floats + " floats to average, another "
                            + other[1] + ": replicas need the same model");
                }
            }
            Path file = SharedFile.path(
                    addresses.token(), places[0][0] == 1 ? SharedFile.Place.MEMORY : SharedFile.Place.DISK);
            FloatBlocks[] all = SharedFile.map(file, addresses.ranks(), floats);
            meet();
            return all;
        } finally {
            if (rank == 0) {
                Files.deleteIfExists(made); // even when another rank is gone; no other rank deletes it
            }
        }
    }

    private void meet() throws IOException {
        exchanged(0, 0);
    }

    private long[][] exchanged(long... values) throws IOException {
        long[][] all = mesh.gather(values);
        if (all == null) {
            throw new RankGoneException("another rank has left while gradients were averaged");
        }
        return all;
    }

    private static void copy(FloatBlocks from, FloatBlocks to, long begin, long end) {
        float[] values = new float[FloatSegments.CHUNK];
        for (long at = begin; at < end; at += FloatSegments.CHUNK) {
            int count = (int) Math.min(FloatSegments.CHUNK, end - at);
            from.read(at, values, count);
            to.write(at, values, count);
        }
    }

    @Override
    public String describe() {
        return "processes of one host, through shared memory";
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (summing) {
            mesh.close();
        } else {
            mesh.leave();
        }
    }
}
