package io.millrace.sequence;

import io.millrace.order.Order;
import io.millrace.order.RearrangedOrder;
import java.io.IOException;
import java.util.Objects;

/**
 * An order whose rows are arranged anew within each window of the epoch, such as a global batch. Each window keeps its rows. Windows begin
 * with the epoch, and the last one may be shorter. The arrangements of recent windows stay in memory.
 */
public final class ArrangedOrder implements RearrangedOrder {
    private static final long serialVersionUID = 1;

    private static final int RECENT_WINDOWS = 16;

    private final Order inner;
    private final int window;
    private final Arrangement arrangement;
    private final RecentValues<Rows> windows = new RecentValues<>(RECENT_WINDOWS);

    /** The rows of a window. Immutable. */
    private static final class Rows {
        /** The rows in their new order. */
        private final Pick[] picks;

        /** The place in the window at which the inner order has each of them. */
        private final int[] origins;

        Rows(Pick[] picks, int[] origins) {
            this.picks = picks;
            this.origins = origins;
        }
    }

    /**
     * Creates an order.
     *
     * @param inner the order whose rows are arranged
     * @param window the number of rows of a window, at least 1
     */
    public ArrangedOrder(Order inner, int window, Arrangement arrangement) {
        if (window < 1) {
            throw new IllegalArgumentException("expected a window of at least 1 row, found " + window);
        }
        this.inner = inner;
        this.window = window;
        this.arrangement = arrangement;
    }

    @Override
    public long seed() {
        return inner.seed();
    }

    @Override
    public long size() {
        return inner.size();
    }

    @Override
    public Pick at(int epoch, long i) {
        return rows(epoch, i).picks[(int) (i % window)];
    }

    @Override
    public Order original() {
        return inner;
    }

    @Override
    public int window() {
        return window;
    }

    @Override
    public long place(int epoch, long i) {
        int[] origins = rows(epoch, i).origins;
        int place = 0;
        while (origins[place] != i % window) {
            place++;
        }
        return i - i % window + place;
    }

    @Override
    public boolean await(int epoch, long i, long nanos) throws IOException {
        return windows.has(windowOfRun(epoch, i)) || arrangement.await(original(epoch, i / window), nanos);
    }

    private Rows rows(int epoch, long i) {
        return windows.value(windowOfRun(epoch, i), any -> arranged(epoch, i / window));
    }

    /** Returns the number of a place's window, counted over all epochs. */
    private long windowOfRun(int epoch, long i) {
        Objects.checkIndex(epoch, Integer.MAX_VALUE);
        Objects.checkIndex(i, size());
        long ofEpoch = (size() + window - 1) / window;
        return Math.addExact(Math.multiplyExact(epoch, ofEpoch), i / window);
    }

    /** Returns the rows of a window in the order in which the inner order has them. */
    private Pick[] original(int epoch, long number) {
        long first = number * window;
        Pick[] rows = new Pick[(int) Math.min(window, size() - first)];
        for (int row = 0; row < rows.length; row++) {
            rows[row] = inner.at(epoch, first + row);
        }
        return rows;
    }

    private Rows arranged(int epoch, long number) {
        Pick[] rows = original(epoch, number);
        int[] places = arrangement.arrange(epoch, number, rows);
        Pick[] arranged = new Pick[rows.length];
        for (int place = 0; place < arranged.length; place++) {
            arranged[place] = rows[places[place]];
        }
        return new Rows(arranged, places);
    }

    @Override
    public int readRound(Pick pick) {
        return inner.readRound(pick);
    }

    @Override
    public long[] counts(long places) {
        long[] whole = inner.counts(places);
        if (whole.length == 1 || places == 0) {
            return whole;
        }
        long inWindow = places % size() % window;
        long first = places - inWindow;
        long[] counts = inner.counts(first);
        for (long i = first; i < places; i++) {
            counts[at(Math.toIntExact(i / size()), i % size()).source()]++;
        }
        return counts;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ArrangedOrder order
                && window == order.window
                && inner.equals(order.inner)
                && arrangement.equals(order.arrangement);
    }

    @Override
    public int hashCode() {
        return Objects.hash(inner, window, arrangement);
    }

    @Override
    public String toString() {
        return "ArrangedOrder[" + inner + ", window=" + window + ", " + arrangement + "]";
    }
}
