package io.millrace.lifecycle;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The open handles of one owner. All of them are closed, in the reverse order of their addition, even if closing some of them
 * fails. One thread at a time uses an instance.
 */
public final class Handles implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /**
     * Code that returns a value or fails.
     *
     * @param <T> the value's type
     * @param <E> the checked exception, or {@link RuntimeException} where there is none
     */
    @FunctionalInterface
    public interface Making<T extends @Nullable Object, E extends Exception> {
        /** Returns the value. */
        T make() throws E;
    }

    /** Takes ownership of a handle and returns it. */
    public <T extends AutoCloseable> T add(T handle) {
        open.push(handle);
        return handle;
    }

    /** Returns the value that {@code making} makes of the handles, or closes all handles if {@code making} fails. */
    public <T extends @Nullable Object, E extends Exception> T closeOnFailure(Making<T, E> making) throws E {
        try {
            return making.make();
        } catch (Throwable failure) {
            closeAfter(failure, this);
            throw failure;
        }
    }

    /**
     * Closes a handle because something else failed. A failure to close it becomes a suppressed exception of the first
     * failure.
     */
    public static void closeAfter(Throwable failure, AutoCloseable handle) {
        try {
            handle.close();
        } catch (Exception suppressed) {
            if (suppressed != failure) {
                failure.addSuppressed(suppressed);
            }
        }
    }

    /**
     * Closes all given handles in their order, even if closing some of them fails.
     *
     * @throws IOException the first failure, with the others suppressed
     */
    public static void closeAll(Iterable<? extends Closeable> handles) throws IOException {
        IOException first = null;
        for (Closeable handle : handles) {
            try {
                handle.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Closes all handles and throws the first failure, with the others suppressed. A checked exception is wrapped in an {@link
     * IllegalStateException}. A second call does nothing.
     */
    @Override
    public void close() {
        RuntimeException first = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                RuntimeException failure =
                        e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
