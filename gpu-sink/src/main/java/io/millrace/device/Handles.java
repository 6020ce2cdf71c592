package io.millrace.device;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The things that one owner has opened. They are closed together, the last one first, all of them even when closing some
 * fails. One thread at a time calls.
 */
public final class Handles implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /**
     * Makes something of what was added, and may add more.
     *
     * @param <E> the checked exception that making may throw
     */
    @FunctionalInterface
    public interface Making<T, E extends Exception> {
        T make() throws E;
    }

    /** Adds something to close; takes ownership. */
    public <T extends AutoCloseable> T add(T handle) {
        open.push(handle);
        return handle;
    }

    /** Returns the result of {@code making}; when that fails, closes all that was added. */
    public <T, E extends Exception> T closeOnFailure(Making<T, E> making) throws E {
        try {
            return making.make();
        } catch (Throwable e) {
            closeAfter(e);
            throw e;
        }
    }

    /** Closes all after a failure, which gets the exceptions of closing as suppressed ones. */
    private void closeAfter(Throwable failure) {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                if (e != failure) {
                    failure.addSuppressed(e);
                }
            }
        }
    }

    /** Closes all; throws the first failure, with the others suppressed. Closing again does nothing. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                RuntimeException failure =
                        e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
                closeAfter(failure);
                throw failure;
            }
        }
    }
}
