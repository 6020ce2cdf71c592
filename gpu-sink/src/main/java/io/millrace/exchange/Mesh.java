package io.millrace.exchange;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A connection from a rank to each of some others, over which values are gathered and leaving is told. */
final class Mesh implements AutoCloseable {
    /** How long leaving may wait for what is being written, and for the others to have read it. */
    private static final long GOODBYE_MILLIS = 300;

    private final int rank;
    private final Map<Integer, Frames> others;

    private Mesh(int rank, Map<Integer, Frames> others) {
        this.rank = rank;
        this.others = others;
    }

    /** Joins every rank with every other: the higher connects to the lower. */
    static Mesh of(RankAddresses table, int rank, Listener listener) throws IOException {
        TreeSet<Integer> higher = new TreeSet<>();
        Map<Integer, Frames> others = new TreeMap<>();
        try {
            for (int other = 0; other < table.ranks(); other++) {
                if (other < rank) {
                    others.put(other, Listener.connect(table, rank, other));
                } else if (other > rank) {
                    higher.add(other);
                }
            }
            others.putAll(listener.accept(table, higher));
            return new Mesh(rank, others);
        } catch (IOException e) {
            others.values().forEach(Frames::close);
            throw e;
        }
    }

    /** As {@link Transport#gather}. */
    long @Nullable [][] gather(long[] mine) throws ExchangeException {
        long[][] all = new long[others.size() + 1][];
        all[rank] = mine;
        for (Frames other : others.values()) {
            try {
                other.write(mine);
            } catch (IOException e) {
                // It may have left in good order: reading tells.
            }
        }
        for (Map.Entry<Integer, Frames> other : others.entrySet()) {
            try {
                long[] values = other.getValue().read();
                if (values == null) {
                    return null;
                }
                if (values.length != mine.length) {
                    throw new ExchangeException("rank " + other.getKey() + " told " + values.length
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

    /** Tells the others that nothing more comes, and cuts the connections. */
    void leave() {
        Thread telling = new Thread(this::tell, "millrace-exchange-leave");
        telling.setDaemon(true);
        telling.start();
        try {
            telling.join(GOODBYE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    private void tell() {
        for (Frames other : others.values()) {
            try {
                other.leave();
            } catch (IOException e) {
                // It is gone itself, and needs no word.
            }
        }
    }

    @Override
    public void close() {
        others.values().forEach(Frames::close);
    }
}
