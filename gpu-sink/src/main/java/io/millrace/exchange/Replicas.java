package io.millrace.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The connection of one rank to its replicas, which keeps their models equal.
 *
 * <p>The ranks agree before each batch. They work on the batch when it is complete on all ranks and no rank is at a
 * checkpoint's barrier. Therefore all replicas have done the same steps at a checkpoint, although rows and barriers
 * reach the ranks at different times. A rank begins a step only after all ranks have agreed on it, so it can rely on
 * all others to do the step too.
 *
 * <p>One thread of the rank calls the methods. Another thread may call {@link #close}, which ends a wait.
 */
public final class Replicas implements GradientExchange, AutoCloseable {
    private static final long READY = 1;
    private static final long AT_BARRIER = 2;

    /** The outcome of an agreement. */
    public sealed interface Turn {}

    /** All ranks work on the batch. */
    public record Work() implements Turn {}

    /**
     * No rank works on the batch before this checkpoint is over, because one rank reached the checkpoint's barrier
     * before the batch was complete on that rank.
     */
    public record Wait(long checkpoint) implements Turn {}

    /** A rank has left without a failure, so there are no further batches. */
    public record Over() implements Turn {}

    private final int rank;
    private final Transport transport;
    private long[] rowsByRank = {};

    /** Volatile: the closing thread sets it, and the rank's thread reads it when its wait has ended. */
    private volatile boolean closed;

    private Replicas(int rank, Transport transport) {
        this.rank = rank;
        this.transport = transport;
    }

    /**
     * Joins the ranks through the fastest transport that all of them share: memory of the process, memory of the host,
     * or the network.
     *
     * @param listener the listener of this rank at the port of its address; the caller closes it
     * @throws IOException when a rank cannot be reached; the message is for the user
     */
    public static Replicas join(RankAddresses addresses, int rank, Listener listener) throws IOException {
        Transport transport = addresses.oneProcess()
                ? new ThreadTransport(addresses, rank)
                : addresses.oneHost()
                        ? new SharedMemoryTransport(addresses, rank, listener)
                        : new RingTransport(addresses, rank, listener);
        return new Replicas(rank, transport);
    }

    /**
     * Announces that a batch is complete on this rank, and waits for the announcements of the others.
     *
     * @param batch the number of the batch
     * @param rows the number of this rank's rows in the batch, without quarantined rows
     * @throws IOException when a rank is gone, or works on another batch
     */
    public Turn ready(long batch, int rows) throws IOException {
        return agree(READY, batch, rows);
    }

    /**
     * Announces that this rank is at a checkpoint's barrier and has worked on all batches that were complete before it.
     *
     * @param batch the number of the next batch
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
                        + votes[other][1] + ": all replicas must be at the same batch");
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
     * Sends this rank's values to all ranks, and returns the values of all ranks.
     *
     * @param mine this rank's values; all ranks pass the same number of values
     * @return the values by rank
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
            throw new IllegalStateException("no rank has rows: there is nothing to average");
        }
        transport.sum(
                new FloatBlocks(blocks),
                shares(Arrays.stream(rowsByRank).asDoubleStream().toArray()));
    }

    @Override
    public long average(List<ByteBuffer> blocks, long rows, double weight) throws IOException {
        List<long[]> all = gather(rows, Double.doubleToRawLongBits(weight));
        long allRows = all.stream().mapToLong(values -> values[0]).sum();
        if (allRows > 0) {
            double[] weights = all.stream()
                    .mapToDouble(values -> Double.longBitsToDouble(values[1]))
                    .toArray();
            boolean none = Arrays.stream(weights).allMatch(w -> w == 0); // the loss ignores all rows
            transport.sum(
                    new FloatBlocks(blocks),
                    shares(none ? all.stream().mapToDouble(values -> values[0]).toArray() : weights));
        }
        return allRows;
    }

    private static float[] shares(double[] weights) {
        double sum = Arrays.stream(weights).sum();
        float[] shares = new float[weights.length];
        IntStream.range(0, shares.length).forEach(rank -> shares[rank] = (float) (weights[rank] / sum));
        return shares;
    }

    /** Returns a description of the transport for messages. */
    public String describe() {
        return transport.describe();
    }

    /** Leaves the other ranks. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        transport.close();
    }
}
