package io.millrace.lifecycle;

/**
 * Waits that an interrupt does not end. An owner closes its handles this way, because the thread or process that it waits
 * for may still use what is freed next.
 */
public final class Uninterrupted {
    /** A wait that an interrupt ends. */
    @FunctionalInterface
    public interface Waiting {
        /** Waits for something. */
        void await() throws InterruptedException;
    }

    private Uninterrupted() {}

    /** Waits, again after each interrupt. At the end, the calling thread is interrupted if it was interrupted meanwhile. */
    public static void await(Waiting waiting) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    waiting.await();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
