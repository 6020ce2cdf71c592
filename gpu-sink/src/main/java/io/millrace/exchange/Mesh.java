package io.millrace.exchange;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The connections from a rank to the other ranks. Ranks gather values over them, and announce over them that they
 * leave.
 */
final class Mesh implements AutoCloseable {
    /** The longest time for which a leaving rank waits until its pending frames are written and read. */
    private static final long LEAVE_TIMEOUT_MILLIS = 300;

    private final int rank;
    private final Map<Integer, Frames> others;

    private Mesh(int rank, Map<Integer, Frames> others) {
        this.rank = rank;
        this.others = others;
    }

    /** Connects every rank with every other; the higher rank connects to the lower. */
    static Mesh of(RankAddresses addresses, int rank, Listener listener) throws IOException {
        TreeSet<Integer> higher = new TreeSet<>();
        Map<Integer, Frames> others = new TreeMap<>();
        try {
            for (int other = 0; other < addresses.ranks(); other++) {
                if (other < rank) {
                    others.put(other, Listener.connect(addresses, rank, other));
                } else if (other > rank) {
                    higher.add(other);
                }
            }
            others.putAll(listener.accept(addresses, higher));
            return new Mesh(rank, others);
        } catch (IOException e) {
            others.values().forEach(Frames::close);
            throw e;
        }
    }

    /** Gathers values, see {@link Transport#gather}. */
    long @Nullable [][] gather(long[] mine) throws ExchangeException {
        long[][] all = new long[others.size() + 1][];
        all[rank] = mine;
        for (Frames other : others.values()) {
            try {
                other.write(mine);
            } catch (IOException e) {
                // The rank may have left without a failure. The read that follows detects this.
            }
        }
        for (Map.Entry<Integer, Frames> other : others.entrySet()) {
            try {
                long[] values = other.getValue().read();
                if (values == null) {
                    return null;
                }
                if (values.length != mine.length) {
                    throw new ExchangeException("rank " + other.getKey() + " sent " + values.length
                            + " values, expected " + mine.length + ": do all processes run the same Millrace?");
                }
                all[other.getKey()] = values;
            } catch (ExchangeException e) {
                throw e;
            } catch (IOException e) {
                throw other.getValue().gone(e);
            }
        }
        return all;
    }

    /** Announces to the others that this rank leaves, and closes the connections. */
    void leave() {
        Thread leaving = new Thread(this::announce, "millrace-exchange-leave");
        leaving.setDaemon(true);
        leaving.start();
        try {
            leaving.join(LEAVE_TIMEOUT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    private void announce() {
        for (Frames other : others.values()) {
            try {
                other.leave();
            } catch (IOException e) {
                // The other rank is gone too, so it needs no announcement.
            }
        }
    }

    @Override
    public void close() {
        others.values().forEach(Frames::close);
    }
}
