package io.millrace.sequence;

import io.millrace.order.Order;
import io.millrace.order.RearrangedOrder;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
    private final RecentValues<Window> windows = new RecentValues<>(RECENT_WINDOWS);

    /** The rows of a window. Any thread may use it. */
    private final class Window {
        private final int epoch;
        private final long number;

        /** The rows in the order in which the inner order has them. They are kept while the lengths of documents are awaited. */
        private final Pick[] rows;

        /** The place in {@link #rows} of each row in the new order; null until it is known. Threads may compute the same places. */
        private volatile int @Nullable [] origins;

        Window(int epoch, long number) {
            this.epoch = epoch;
            this.number = number;
            rows = original(epoch, number);
        }

        int[] origins() {
            int[] known = origins;
            if (known == null) {
                known = arrangement.arrange(epoch, number, rows);
                origins = known;
            }
            return known;
        }

        boolean await(long nanos) throws IOException {
            return origins != null || arrangement.await(rows, nanos);
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
        Window rows = windowOf(epoch, i);
        return rows.rows[rows.origins()[(int) (i % window)]];
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
        int[] origins = windowOf(epoch, i).origins();
        int place = 0;
        while (origins[place] != i % window) {
            place++;
        }
        return i - i % window + place;
    }

    @Override
    public boolean await(int epoch, long i, long nanos) throws IOException {
        return windowOf(epoch, i).await(nanos);
    }

    private Window windowOf(int epoch, long i) {
        Objects.checkIndex(epoch, Integer.MAX_VALUE);
        Objects.checkIndex(i, size());
        long ofEpoch = (size() + window - 1) / window;
        long ofRun = Math.addExact(Math.multiplyExact(epoch, ofEpoch), i / window);
        return windows.value(ofRun, any -> new Window(epoch, i / window));
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

    @Override
    public int readRound(Pick pick) {
        return inner.readRound(pick);
    }

    @Override
    public long[] counts(long places) {
        if (places == 0) {
            return inner.counts(0);
        }
        long first = places - places % size() % window;
        long[] counts = inner.counts(first);
        if (counts.length == 1) {
            return inner.counts(places); // whatever the arrangement is, which may not be known yet
        }
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
