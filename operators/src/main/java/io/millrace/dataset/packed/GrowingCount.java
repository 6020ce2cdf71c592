package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.lifecycle.Handles;
import io.millrace.sequence.CountedWindows;
import io.millrace.sequence.LengthsFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The count of a dataset's documents while it is read, in this process and in others that read the same files. Each view of the dataset has
 * a thread that counts, a little further than documents have been asked for, so that it costs no more than what is read. The numbers go to
 * the file of the lengths, where other processes and later runs find them.
 *
 * <p>All views of the process share an object, from the first to the last one. Any thread may use it.
 *
 * <p>Tested by {@code GrowingPacksTest} and {@code GrowingLengthsTest}.
 */
abstract class GrowingCount {
    private static final Logger LOG = LoggerFactory.getLogger(GrowingCount.class);

    /** The time between two looks at the numbers that other processes have counted. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The time between two messages of a thread that waits. */
    private static final long MESSAGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The time without a waiting thread after which a wait has ended: threads wait in short parts. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The objects that views of this process use; guarded by the map. */
    private static final Map<Kind<?>, GrowingCount> SHARED = new HashMap<>();

    private final Kind<?> kind;
    private final CountSpec spec;
    private final LengthsFile lengths;
    private final CountedWindows windows;
    private final int ahead;

    /** The windows that threads of this process are counting; guarded by this. */
    private final BitSet claimed = new BitSet();

    /** Windows behind the first one that is not counted, if they are known to be counted; guarded by this. */
    private final BitSet counted = new BitSet();

    /** The last window that was requested; guarded by this. */
    private int asked;

    private @Nullable IOException failure;

    /** The times of the latest wait and of the latest message on it. */
    private long lastWait;

    private long said;
    private @Nullable String message;

    /** The CPU time of counting that no reader has taken yet. */
    private final AtomicLong countingNanos = new AtomicLong();

    /** The number of views, and what they write with; both change under the lock of the map of all objects. */
    private volatile int views;

    private @Nullable CountFiles files;

    /** What a count is for. Equal kinds share their count. */
    interface Kind<T extends GrowingCount> {
        /** Returns the documents and the way to count them. */
        CountSpec count();

        /** Returns a new object of the count. */
        T begin(LengthsFile lengths);

        /** Returns the class of the objects. */
        Class<T> type();
    }

    GrowingCount(Kind<?> kind, LengthsFile lengths) {
        this.kind = kind;
        this.spec = kind.count();
        this.lengths = lengths;
        windows = new CountedWindows(spec.order(), spec.window(), lengths);
        ahead = (spec.ahead() + spec.window() - 1) / spec.window();
    }

    /**
     * Returns the object that the views of this process share; without a view, one that nobody else has.
     *
     * @throws DatasetException when the file of the lengths is not on this machine
     */
    static <T extends GrowingCount> T of(Kind<T> kind) throws IOException {
        synchronized (SHARED) {
            GrowingCount known = SHARED.get(kind);
            return known == null
                    ? kind.begin(kind.count().counts().openGrowing())
                    : kind.type().cast(known);
        }
    }

    /**
     * Returns a view of a dataset, which owns the dataset, and begins to count on a thread of its own.
     *
     * @throws IOException as {@link #of} does, and when the files of the count cannot be written
     */
    static Dataset view(Kind<?> kind, Dataset documents) throws IOException {
        synchronized (SHARED) {
            GrowingCount count = of(kind);
            CountFiles files = count.files == null ? CountFiles.open(count.spec) : count.files;
            CountingThread counting;
            try {
                counting = new CountingThread(count, documents, files);
            } catch (RuntimeException | Error e) { // the process has no more threads
                if (count.files == null) {
                    Handles.closeAfter(e, files);
                }
                throw e;
            }
            count.files = files;
            count.views++;
            SHARED.put(kind, count);
            return new CountingDataset(documents, count, counting);
        }
    }

    /** Returns whether no view of the dataset counts for this object, but some count for another one. */
    final boolean isReplaced() {
        if (views > 0) {
            return false;
        }
        synchronized (SHARED) {
            GrowingCount known = SHARED.get(kind);
            return known != null && known != this;
        }
    }

    /** Ends a view. */
    void leave() throws IOException {
        synchronized (SHARED) {
            views--;
            if (views == 0) {
                SHARED.remove(kind, this);
                CountFiles last = Objects.requireNonNull(files);
                files = null;
                last.close();
            }
        }
    }

    /** Returns the documents and the way to count them. */
    final CountSpec spec() {
        return spec;
    }

    /** Returns the lengths of the documents that are counted. */
    final LengthsFile lengths() {
        return lengths;
    }

    /** Returns how far the documents are counted. */
    final CountedWindows windows() {
        return windows;
    }

    /** Takes over what has been counted, here or in other processes. The calling thread has the lock of this object. */
    void grow() throws IOException {
        windows.extend();
    }

    /** Returns the end of the clause on the progress of the count; empty for nothing to add. */
    String soFar() {
        return "";
    }

    /** Requests the count of all windows up to one, and of a few behind it. */
    final synchronized void ask(int window) {
        if (window > asked) {
            asked = window;
            notifyAll();
        }
    }

    /**
     * Waits until something is known or all documents are counted.
     *
     * @param what what is waited for, as the beginning of a clause for the user
     * @return false when it is not known yet
     * @throws IOException when the documents cannot be counted; the message is a sentence
     * @throws InterruptedIOException when the calling thread is interrupted
     */
    final synchronized boolean await(String what, BooleanSupplier known, long nanos) throws IOException {
        if (isKnown(known)) {
            return true;
        }
        notifyAll();
        try {
            long began = System.nanoTime();
            for (long now = began; now - began < nanos; now = System.nanoTime()) {
                say(what, now);
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(LOOK_NANOS, nanos - (now - began)));
                if (isKnown(known)) {
                    return true;
                }
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while documents are counted").initCause(e);
        }
    }

    private boolean isKnown(BooleanSupplier known) throws IOException {
        extend();
        boolean found = known.getAsBoolean() || windows.isComplete();
        if (found) {
            said = 0; // what is found moves the run forward, so that another wait is a new one
            message = null;
        }
        return found;
    }

    /** Logs from time to time how far the count is. */
    private void say(String what, long now) {
        if (said == 0 || now - lastWait > FORGET_NANOS) {
            said = now; // a new wait, of which most end soon
            message = null;
        }
        lastWait = now;
        if (now - said >= MESSAGE_NANOS) {
            said = now;
            message = String.format(
                    Locale.ROOT,
                    "%s of %s, whose documents are being counted: %,d of %,d so far%s",
                    what,
                    spec.counts().dataset(),
                    windows.counted(),
                    lengths.size(),
                    soFar());
            LOG.warn("waiting for {}", message);
        }
    }

    /** Returns what threads wait for, as a clause for the user; null when none waits for long. */
    final synchronized @Nullable String awaits() {
        return isAwaited() ? message : null;
    }

    private boolean isAwaited() {
        return lastWait != 0 && System.nanoTime() - lastWait <= FORGET_NANOS;
    }

    private synchronized void extend() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        try {
            grow();
        } catch (DatasetException e) {
            failure = e;
            throw e;
        }
    }

    /** Returns whether all documents are counted. */
    final boolean isComplete() throws IOException {
        extend();
        return windows.isComplete();
    }

    /** Adds the CPU time of some counting. */
    final void spent(long cpuNanos) {
        countingNanos.addAndGet(cpuNanos);
    }

    /** Returns the CPU time that has been spent on counting since the last call, so that each of several callers gets a part of it. */
    final long takeCountingNanos() {
        return countingNanos.getAndSet(0);
    }

    /** Returns a window to count, which {@link #release} returns; null after waiting for some time if there is none. */
    final WindowClaims.@Nullable Claim claim(WindowClaims claims) throws InterruptedException {
        synchronized (this) {
            int next = windows.grown();
            long last = Math.min(windows.windows() - 1L, (long) (isAwaited() ? Math.max(next, asked) : asked) + ahead);
            for (int window = next; window <= last; window++) {
                if (claimed.get(window) || counted.get(window)) {
                    continue;
                }
                if (windows.isCounted(window)) {
                    counted.set(window);
                    continue;
                }
                WindowClaims.Claim claim = claims.claim(window);
                if (claim != null) {
                    claimed.set(window);
                    return claim;
                }
            }
            TimeUnit.NANOSECONDS.timedWait(this, LOOK_NANOS);
            return null;
        }
    }

    /** Ends the count of a window, of which some documents may be left. */
    final synchronized void release(int window) {
        claimed.clear(window);
        notifyAll();
    }

    /** Makes all threads that wait fail. */
    final synchronized void fail(IOException e) {
        failure = e;
        notifyAll();
    }

    /** Wakes the threads that wait for windows to count. */
    final synchronized void wake() {
        notifyAll();
    }
}
