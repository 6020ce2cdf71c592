package io.millrace.device;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** What one owner opened: closed last first, all of it, also when some of it fails. One thread at a time. */
public final class Handles implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** Takes ownership. */
    public <T extends AutoCloseable> T add(T handle) {
        open.push(handle);
        return handle;
    }

    /** Makes something of what was added; when that fails, all is closed. */
    public <T> T closeOnFailure(Supplier<T> making) {
        try {
            return making.get();
        } catch (RuntimeException | Error e) {
            try {
                close();
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Closes all; throws the first failure, with the others suppressed. Closing again does nothing. */
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
