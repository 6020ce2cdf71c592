package io.millrace.dataset.storage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Knowledge of whether mapped files are in the page cache, which changes: the first epoch reads the files into it, and the operating
 * system takes memory back. To look costs time, so this happens at most once a second, and for at most a hundredth of the time.
 * Any number of threads may ask.
 */
public final class Residence {
    private static final long LEAST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The time between two looks, as a multiple of the time of a look. */
    private static final int REST = 100;

    private final BooleanSupplier look;
    private final LongSupplier nanoTime;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile boolean resident;
    private volatile long nextNanos;

    /**
     * Looks for the first time.
     *
     * @param look looks whether nearly all bytes are in memory; one thread at a time calls it
     */
    public Residence(BooleanSupplier look) {
        this(look, System::nanoTime);
    }

    Residence(BooleanSupplier look, LongSupplier nanoTime) {
        this.look = look;
        this.nanoTime = nanoTime;
        look(nanoTime.getAsLong());
    }

    /** Returns whether nearly all bytes were in memory at the latest look. */
    public boolean isResident() {
        long now = nanoTime.getAsLong();
        if (now - nextNanos >= 0 && looking.compareAndSet(false, true)) {
            try {
                look(now);
            } finally {
                looking.set(false);
            }
        }
        return resident;
    }

    private void look(long began) {
        resident = look.getAsBoolean();
        long ended = nanoTime.getAsLong();
        nextNanos = ended + Math.max(LEAST_REST_NANOS, REST * (ended - began));
    }
}
