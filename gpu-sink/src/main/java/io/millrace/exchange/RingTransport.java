package io.millrace.exchange;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The exchange between ranks on several hosts: each rank sends to the next rank and receives from the previous rank. A
 * sum is a reduce-scatter and an all-gather over the ring. So each rank sends its floats about twice, independent of
 * the number of ranks. A received chunk is passed on while the next chunk arrives.
 *
 * <p>Tested by {@code ReplicasTest}.
 */
final class RingTransport implements Transport {
    private static final long LEAVE_TIMEOUT_MILLIS = 300;

    private final int ranks;
    private final int rank;
    private final Frames next;
    private final Frames before;
    private final ExecutorService sender;

    /** Volatile: the rank's thread sets it, and the closing thread reads it. */
    private volatile boolean summing;

    private volatile boolean closed; // set by the thread that closes, once

    RingTransport(RankAddresses addresses, int rank, Listener listener) throws IOException {
        this.ranks = addresses.ranks();
        this.rank = rank;
        int nextRank = (rank + 1) % ranks;
        int beforeRank = Math.floorMod(rank - 1, ranks);
        // A connect waits until the other rank accepts. Rank 0 accepts before it connects, so that the ranks do not
        // all wait for one another.
        Frames connected = rank == 0 ? null : Listener.connect(addresses, rank, nextRank);
        try {
            Map<Integer, Frames> accepted = listener.accept(addresses, Set.of(beforeRank));
            before = accepted.values().iterator().next();
        } catch (IOException e) {
            if (connected != null) {
                connected.close();
            }
            throw e;
        }
        try {
            next = connected == null ? Listener.connect(addresses, rank, nextRank) : connected;
        } catch (IOException e) {
            before.close();
            throw e;
        }
        sender = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "millrace-exchange-send-" + rank);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public long @Nullable [][] gather(long[] mine) throws IOException {
        long[][] all = new long[ranks][];
        all[rank] = mine;
        for (int round = 0; round < ranks - 1; round++) {
            try {
                next.write(all[Math.floorMod(rank - round, ranks)]);
            } catch (IOException e) {
                if (leftInGoodOrder(next)) {
                    return null;
                }
                throw next.gone(e);
            }
            long[] values;
            try {
                values = before.read();
            } catch (ExchangeException e) {
                throw e;
            } catch (IOException e) {
                throw before.gone(e);
            }
            if (values == null) {
                return null;
            }
            all[Math.floorMod(rank - 1 - round, ranks)] = values;
        }
        return all;
    }

    private static boolean leftInGoodOrder(Frames gone) {
        try {
            return gone.read() == null;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void sum(FloatBlocks mine, float[] weights) throws IOException {
        summing = true;
        FloatSegments segments = new FloatSegments(mine.size(), ranks);
        Semaphore ready = new Semaphore(0);
        Callable<@Nullable Void> sending = () -> {
            send(mine, segments, weights[rank], ready);
            return null;
        };
        Future<@Nullable Void> sent = sender.submit(sending);
        try {
            receive(mine, segments, weights[rank], ready);
            sent.get();
        } catch (ExchangeException e) {
            throw e;
        } catch (IOException e) {
            throw before.gone(e);
        } catch (ExecutionException e) {
            throw new RankGoneException("rank " + (rank + 1) % ranks + " is gone: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ExchangeException("interrupted while gradients were averaged", e);
        } finally {
            if (!sent.isDone()) {
                // The sending thread may wait for chunks that never arrive, or for a network that does not answer any
                // more.
                cut();
                sent.cancel(true);
            }
        }
        summing = false;
    }

    /**
     * Sends one segment in each round: in the first round this rank's own segment, and then the segment that was
     * received in the previous round.
     */
    private void send(FloatBlocks mine, FloatSegments segments, float weight, Semaphore ready)
            throws IOException, InterruptedException {
        float[] values = new float[FloatSegments.CHUNK];
        try {
            for (int round = 0; round < 2 * (ranks - 1); round++) {
                int segment = Math.floorMod(rank - round, ranks);
                next.writeSegment(segment, segments.to(segment) - segments.from(segment));
                for (long at = segments.from(segment); at < segments.to(segment); at += FloatSegments.CHUNK) {
                    int count = (int) Math.min(FloatSegments.CHUNK, segments.to(segment) - at);
                    if (round > 0) {
                        ready.acquire();
                    }
                    mine.read(at, values, count);
                    if (round == 0) {
                        FloatSegments.begin(values, values, count, weight);
                    }
                    next.write(values, count);
                }
            }
        } catch (IOException e) {
            before.close(); // ends the receiving as well
            throw e;
        }
    }

    /**
     * Receives segments. In the first rounds it adds this rank's floats to them, in the later rounds it stores the
     * sums.
     */
    private void receive(FloatBlocks mine, FloatSegments segments, float weight, Semaphore ready) throws IOException {
        float[] sum = new float[FloatSegments.CHUNK];
        float[] values = new float[FloatSegments.CHUNK];
        for (int round = 0; round < 2 * (ranks - 1); round++) {
            int segment = Math.floorMod(rank - 1 - round, ranks);
            before.readSegment(segment, segments.to(segment) - segments.from(segment));
            for (long at = segments.from(segment); at < segments.to(segment); at += FloatSegments.CHUNK) {
                int count = (int) Math.min(FloatSegments.CHUNK, segments.to(segment) - at);
                before.read(sum, count);
                if (round < ranks - 1) {
                    mine.read(at, values, count);
                    FloatSegments.add(sum, values, count, weight);
                }
                mine.write(at, sum, count);
                ready.release();
            }
        }
    }

    @Override
    public String describe() {
        return "processes of several hosts, through a ring of connections";
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (!summing) {
            Future<?> leaving = sender.submit(this::announce);
            try {
                leaving.get(LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                leaving.cancel(true);
            }
        }
        cut();
        sender.shutdownNow();
    }

    private void announce() {
        for (Frames other : new Frames[] {next, before}) {
            try {
                other.leave();
            } catch (IOException e) {
                // The other rank is gone too, so it needs no announcement.
            }
        }
    }

    private void cut() {
        next.close();
        before.close();
    }
}
