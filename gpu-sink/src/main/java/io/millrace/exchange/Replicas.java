package io.millrace.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One rank's side of replicas that stay equal.
 *
 * <p>Before each batch the ranks agree: they work on it when all have it whole and none is at a checkpoint's barrier. So a
 * checkpoint finds every replica behind the same step, though rows and barriers reach the ranks at different times. Only
 * then do they compute, so that a rank that began a step can rely on all others to take it too.
 *
 * <p>One thread of the rank calls; {@link #close} may come from another, and ends a wait.
 */
public final class Replicas implements GradientExchange, AutoCloseable {
    private static final long READY = 1;
    private static final long AT_BARRIER = 2;

    /** What the ranks agreed on. */
    public sealed interface Turn {}

    /** All work on the batch. */
    public record Work() implements Turn {}

    /**
     * Nobody works on the batch before the checkpoint of this number is over: a rank has come to its barrier without having
     * the batch whole.
     */
    public record Wait(long checkpoint) implements Turn {}

    /** A rank has left in good order: there will be no further batch. */
    public record Over() implements Turn {}

    private final int rank;
    private final Transport transport;
    private long[] rowsByRank = {};

    /** Volatile: set by who closes, read by the rank's thread, whose wait that ends. */
    private volatile boolean closed;

    private Replicas(int rank, Transport transport) {
        this.rank = rank;
        this.transport = transport;
    }

    /**
     * Joins the ranks, by the nearest way that all of them share: memory of the process, memory of the host, or the network.
     *
     * @param listener of this rank, which the table names; not used any more afterwards, and the caller's to close
     * @throws IOException when a rank cannot be reached, with a sentence
     */
    public static Replicas join(RankAddresses table, int rank, Listener listener) throws IOException {
        Transport transport = table.oneProcess()
                ? new ThreadTransport(table, rank)
                : table.oneHost()
                        ? new SharedMemoryTransport(table, rank, listener)
                        : new RingTransport(table, rank, listener);
        return new Replicas(rank, transport);
    }

    /**
     * Says that this rank has a batch whole, and waits for the others to say what they have.
     *
     * @param rows that this rank has in it, quarantined ones not counted
     * @throws IOException when a rank is gone, or works on another batch
     */
    public Turn ready(long batch, int rows) throws IOException {
        return agree(READY, batch, rows);
    }

    /**
     * Says that this rank is at a checkpoint's barrier and has worked on all batches that it had whole before it.
     *
     * @param batch the one that is next
     * @throws IOException as {@link #ready}
     */
    public Turn atBarrier(long batch, long checkpoint) throws IOException {
        return agree(AT_BARRIER, batch, checkpoint);
    }

    private Turn agree(long vote, long batch, long value) throws IOException {
        long[][] votes;
        try {
            votes = transport.gather(new long[] {vote, batch, value});
        } catch (IOException e) {
            if (closed) {
                return new Over(); // this rank left while it waited
            }
            throw e;
        }
        if (votes == null) {
            return new Over();
        }
        for (int other = 0; other < votes.length; other++) {
            if (votes[other][1] != batch) {
                throw new ExchangeException("rank " + rank + " is at batch " + batch + " and rank " + other + " at "
                        + votes[other][1] + ": replicas work on the same batches");
            }
        }
        long checkpoint = Arrays.stream(votes)
                .filter(v -> v[0] == AT_BARRIER)
                .mapToLong(v -> v[2])
                .max()
                .orElse(-1);
        if (checkpoint >= 0) {
            return new Wait(checkpoint);
        }
        rowsByRank = Arrays.stream(votes).mapToLong(v -> v[2]).toArray();
        return new Work();
    }

    /**
     * Gives every rank every rank's values.
     *
     * @param mine equally many in each rank
     * @return by rank
     * @throws IOException when a rank is gone
     */
    public List<long[]> gather(long... mine) throws IOException {
        long[][] all = transport.gather(mine);
        if (all == null) {
            throw new RankGoneException("another rank has left in the middle of a step");
        }
        return List.of(all);
    }

    @Override
    public long rows() {
        return Arrays.stream(rowsByRank).sum();
    }

    @Override
    public void average(List<ByteBuffer> blocks) throws IOException {
        if (rows() == 0) {
            throw new IllegalStateException("nobody has rows: there is nothing to average");
        }
        transport.sum(
                new Floats(blocks),
                shares(Arrays.stream(rowsByRank).asDoubleStream().toArray()));
    }

    @Override
    public long average(List<ByteBuffer> blocks, long rows, double weight) throws IOException {
        List<long[]> all = gather(rows, Double.doubleToRawLongBits(weight));
        long everyonesRows = all.stream().mapToLong(values -> values[0]).sum();
        if (everyonesRows > 0) {
            double[] weights = all.stream()
                    .mapToDouble(values -> Double.longBitsToDouble(values[1]))
                    .toArray();
            boolean none = Arrays.stream(weights).allMatch(w -> w == 0); // all of their rows are ignored
            transport.sum(
                    new Floats(blocks),
                    shares(none ? all.stream().mapToDouble(values -> values[0]).toArray() : weights));
        }
        return everyonesRows;
    }

    private static float[] shares(double[] weights) {
        double sum = Arrays.stream(weights).sum();
        float[] shares = new float[weights.length];
        IntStream.range(0, shares.length).forEach(rank -> shares[rank] = (float) (weights[rank] / sum));
        return shares;
    }

    /** How the ranks are joined, for people. */
    public String describe() {
        return transport.describe();
    }

    /** Leaves the others. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        transport.close();
    }
}
