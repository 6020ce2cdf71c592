package io.millrace.dataset.packed;

import io.millrace.order.Order;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What is opened once in a process for each training dataset, when it is needed first. A copy in another process opens it again, and so
 * does this one when views of the dataset have begun another count. Any thread may use the object if it may use what is opened.
 *
 * <p>Tested by {@code RowArrangementTest}.
 *
 * @param <T> what is opened
 */
public final class Opened<T> implements Serializable {
    private static final long serialVersionUID = 1;

    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The description of what is opened. */
    public interface Spec<T> extends Serializable {
        /**
         * Opens it. Any thread may call the method.
         *
         * @throws IOException when it cannot be opened; the message is a sentence
         */
        T open() throws IOException;
    }

    private final Map<Integer, ? extends Spec<? extends T>> specs;
    private final transient Map<Integer, T> opened = new ConcurrentHashMap<>();

    /** Creates the object of training datasets by their numbers. */
    Opened(Map<Integer, ? extends Spec<? extends T>> specs) {
        this.specs = Map.copyOf(specs);
    }

    /**
     * Returns what belongs to the dataset of a row.
     *
     * @throws UncheckedIOException when it cannot be opened
     */
    T of(Order.Pick row) {
        T known = opened.get(row.source());
        if (known instanceof GrowingCount count && count.isReplaced()) {
            opened.remove(row.source(), known);
        }
        return opened.computeIfAbsent(row.source(), source -> {
            try {
                return Objects.requireNonNull(specs.get(source)).open();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** A wait of at most some nanoseconds; returns false when what is waited for is not known yet. */
    @FunctionalInterface
    interface Waiting {
        boolean await(long nanos) throws IOException;
    }

    /**
     * Waits in short parts, because what is opened may be replaced in between. The wait has no end where no view of the dataset counts, here
     * or in another process.
     */
    static void await(Waiting waiting) throws IOException {
        boolean known;
        do {
            known = waiting.await(WAIT_NANOS);
        } while (!known);
    }

    private Object readResolve() {
        return new Opened<>(specs);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Opened<?> same && specs.equals(same.specs);
    }

    @Override
    public int hashCode() {
        return specs.hashCode();
    }

    @Override
    public String toString() {
        return specs.keySet().toString();
    }
}
