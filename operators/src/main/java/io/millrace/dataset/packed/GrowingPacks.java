package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.lifecycle.Handles;
import io.millrace.order.Sources;
import io.millrace.sample.Counted;
import io.millrace.sequence.EndlessPacks;
import io.millrace.sequence.GrowingPlan;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.PackWindows;
import io.millrace.sequence.Packs;
import io.millrace.sequence.PlannedPacks;
import io.millrace.sequence.Slice;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
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
 * The packs of a dataset whose documents are counted while it is read, in this process and in others that read the same files. A window's
 * packs are known as soon as all documents up to its last one are counted. Each view of the dataset has a thread that counts, a little
 * further than packs have been asked for, so that it costs no more than what is read. The numbers go to the file of the lengths, where other
 * processes and later runs find them.
 *
 * <p>All views of the process share an object, from the first to the last one. Any thread may use it.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 */
final class GrowingPacks implements Packs {
    private static final Logger LOG = LoggerFactory.getLogger(GrowingPacks.class);

    /** The time between two looks at the numbers that other processes have counted. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The time between two messages of a thread that waits. */
    private static final long MESSAGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The time without a waiting thread after which a wait has ended: threads wait in short parts. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of documents that are counted before their packs are asked for, and the smallest number of windows. */
    private static final int AHEAD = 1 << 12;

    private static final int WINDOWS_AHEAD = 4;

    /** The objects that views of this process use; guarded by the map. */
    private static final Map<GrowingSpec, GrowingPacks> SHARED = new HashMap<>();

    private final GrowingSpec spec;
    private final LengthsFile lengths;
    private final GrowingPlan plan;
    private final PackWindows windows;
    private final int ahead;

    /** The windows that a thread of this process counts, and those behind the end of the plan that are counted; both guarded by this. */
    private final BitSet claimed = new BitSet();

    private final BitSet counted = new BitSet();

    /** The last window of which a pack was asked for. */
    private int asked;

    private @Nullable IOException failure;

    /** The times of the latest wait and of the latest message on it. */
    private long lastWait;

    private long said;
    private @Nullable String message;
    private @Nullable EndlessPacks complete;

    /** The CPU time of counting that no reader has taken yet. */
    private final AtomicLong countingNanos = new AtomicLong();

    /** The views, and what they write with; guarded by the map of all objects. */
    private int views;

    private @Nullable CountFiles files;

    private GrowingPacks(GrowingSpec spec, LengthsFile lengths) {
        this.spec = spec;
        this.lengths = lengths;
        plan = new GrowingPlan(spec.order(), spec.rule(), lengths);
        windows = new PackWindows(spec.order(), spec.rule(), lengths);
        ahead = Math.max(WINDOWS_AHEAD, AHEAD / spec.rule().window());
    }

    /**
     * Returns the packs that the views of this process share; without a view, packs that nobody else has.
     *
     * @throws DatasetException when the file of the lengths is not on this machine
     */
    static GrowingPacks of(GrowingSpec spec) throws IOException {
        synchronized (SHARED) {
            GrowingPacks known = SHARED.get(spec);
            return known == null ? new GrowingPacks(spec, spec.counts().openGrowing()) : known;
        }
    }

    /**
     * Returns the view of a dataset as packs, which owns the dataset, and begins to count on a thread of its own.
     *
     * @throws IOException as {@link #of} does, and when the files of the count cannot be written
     */
    static PackedDataset view(GrowingSpec spec, Dataset documents) throws IOException {
        synchronized (SHARED) {
            GrowingPacks packs = of(spec);
            CountFiles files = packs.files == null ? CountFiles.open(spec) : packs.files;
            CountingThread counting;
            try {
                counting = new CountingThread(packs, spec, packs.lengths, documents, files);
            } catch (RuntimeException | Error e) { // the process has no more threads
                if (packs.files == null) {
                    Handles.closeAfter(e, files);
                }
                throw e;
            }
            packs.files = files;
            packs.views++;
            SHARED.put(spec, packs);
            return new PackedDataset(spec.counts().dataset(), documents, packs, counting);
        }
    }

    /** Ends a view. */
    void leave() throws IOException {
        synchronized (SHARED) {
            views--;
            if (views == 0) {
                SHARED.remove(spec, this);
                CountFiles last = Objects.requireNonNull(files);
                files = null;
                last.close();
            }
        }
    }

    @Override
    public long documents() {
        return lengths.size();
    }

    @Override
    public long size() {
        return Sources.ENDLESS;
    }

    @Override
    public boolean await(long number, long nanos) throws IOException {
        return number < plan.packs() // nearly always: threads count ahead
                || await(String.format(Locale.ROOT, "sequence %,d", number), () -> number < plan.packs(), nanos);
    }

    /** Waits until packs are known or all documents are counted. */
    private synchronized boolean await(String what, BooleanSupplier known, long nanos) throws IOException {
        extend();
        if (known.getAsBoolean() || plan.isComplete()) {
            return true;
        }
        notifyAll();
        try {
            long began = System.nanoTime();
            for (long now = began; now - began < nanos; now = System.nanoTime()) {
                say(what, now);
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(LOOK_NANOS, nanos - (now - began)));
                extend();
                if (known.getAsBoolean() || plan.isComplete()) {
                    return true;
                }
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while documents are counted").initCause(e);
        }
    }

    /** Tells the user from time to time how far the count is. */
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
                    "%s of %s, whose documents are being counted: %,d of %,d so far, in %s",
                    what,
                    spec.counts().dataset(),
                    plan.counted(),
                    lengths.size(),
                    Counted.of(plan.packs(), "sequence"));
            LOG.warn("waiting for {}", message);
        }
    }

    @Override
    public synchronized @Nullable String awaits() {
        return isAwaited() ? message : null;
    }

    /** Returns whether a thread waits for a pack that is not known. */
    private boolean isAwaited() {
        return lastWait != 0 && System.nanoTime() - lastWait <= FORGET_NANOS;
    }

    /** Takes over what has been counted, here or in other processes. */
    private synchronized void extend() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        plan.extend();
        if (plan.totals().empty() > spec.mostBad()) {
            failure = new DatasetException(String.format(
                    Locale.ROOT,
                    "more than %,d of %,d documents of %s are bad, which is all that batch.max_quarantined allows: %s",
                    spec.mostBad(),
                    lengths.size(),
                    spec.counts().dataset(),
                    BadDocuments.describe(Path.of(spec.badDocuments()))));
            throw failure;
        }
        if (plan.isComplete() && plan.packs() == 0) {
            failure = new DatasetException(
                    BadDocuments.all(spec.counts().dataset(), lengths.size(), Path.of(spec.badDocuments())));
            throw failure;
        }
    }

    @Override
    public List<Slice> pack(int round, long number) throws IOException {
        await(number, Long.MAX_VALUE);
        if (number >= plan.packs()) {
            return complete().pack(round, number);
        }
        var place = plan.place(number);
        synchronized (this) {
            if (place.window() > asked) {
                asked = place.window();
                notifyAll();
            }
        }
        return windows.slices(place);
    }

    /** Adds the CPU time of some counting. */
    void spent(long cpuNanos) {
        countingNanos.addAndGet(cpuNanos);
    }

    @Override
    public long takeCountingNanos() {
        return countingNanos.getAndSet(0);
    }

    @Override
    public PlannedPacks planned() throws IOException {
        await("the end", () -> false, Long.MAX_VALUE);
        return complete().planned();
    }

    private synchronized EndlessPacks complete() {
        if (complete == null) {
            complete = new EndlessPacks(new PlannedPacks(plan.plan(), lengths));
        }
        return complete;
    }

    /** Returns whether all documents are counted. */
    boolean isComplete() throws IOException {
        extend();
        return plan.isComplete();
    }

    /** Returns a window to count, which {@link #release} returns; null after waiting for some time if there is none. */
    WindowClaims.@Nullable Claim claim(WindowClaims claims) throws InterruptedException {
        synchronized (this) {
            int next = plan.grown();
            long last = Math.min(plan.windows() - 1L, (long) (isAwaited() ? Math.max(next, asked) : asked) + ahead);
            for (int window = next; window <= last; window++) {
                if (claimed.get(window) || counted.get(window)) {
                    continue;
                }
                if (plan.isCounted(window)) {
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
    synchronized void release(int window) {
        claimed.clear(window);
        notifyAll();
    }

    /** Makes all threads that wait for packs fail. */
    synchronized void fail(IOException e) {
        failure = e;
        notifyAll();
    }

    /** Wakes the threads that wait for windows to count. */
    synchronized void wake() {
        notifyAll();
    }
}
