package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.lifecycle.Uninterrupted;
import io.millrace.order.EpochOrder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.LongStream;

/** A thread that counts the documents of a view, one window after another, until it is closed or all are counted. */
final class CountingThread implements Closeable {
    private final GrowingCount count;
    private final CountSpec spec;
    private final Dataset documents;
    private final CountFiles files;
    private final Thread thread;
    private volatile boolean closing;

    /** Starts the thread. The documents and the files stay open until it is closed. */
    CountingThread(GrowingCount count, Dataset documents, CountFiles files) {
        this.count = count;
        this.spec = count.spec();
        this.documents = documents;
        this.files = files;
        thread = new Thread(this::run, "millrace-count");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try (DocumentCounter counter = spec.counter().open(documents, true)) {
            while (!closing && !count.isComplete()) {
                WindowClaims.Claim claim = count.claim(files.claims());
                if (claim != null) {
                    try (claim) {
                        countWindow(claim.window(), counter);
                    } finally {
                        count.release(claim.window());
                    }
                }
            }
            if (count.isComplete()) {
                files.lengths().publishShared();
                BadDocuments.keepEachOnce(Path.of(spec.counter().badDocuments()));
            }
        } catch (IOException e) {
            count.fail(e);
        } catch (RuntimeException | Error e) { // nobody may wait for ever
            count.fail(new IOException("the documents of " + spec.counts().dataset() + " cannot be counted: " + e, e));
        } catch (InterruptedException e) {
            count.fail(new IOException("the thread that counts documents was interrupted", e));
        }
    }

    private void countWindow(int window, DocumentCounter counter) throws IOException {
        // A shuffle by blocks keeps the group that was used last, which threads would take from each other.
        EpochOrder order = new EpochOrder(
                spec.order().seed(), spec.order().size(), spec.order().shuffle());
        long first = (long) window * spec.window();
        long end = Math.min(first + spec.window(), count.lengths().size());
        long[] unknown = count.lengths().uncounted(LongStream.range(first, end).map(place -> order.index(0, place)));
        Dataset.Reading reading = spec.counter().reading(documents, unknown.length, i -> unknown[i]);
        int[] length = new int[1];
        for (int i = 0; i < unknown.length && !closing; i++) {
            length[0] = counter.count(reading, i, unknown[i]);
            files.lengths().write(unknown[i], length, 1);
            count.spent(counter.cpuNanos());
        }
        count.spent(reading.remoteCpuNanos());
    }

    /** Ends the count after the document that is being counted. */
    @Override
    public void close() throws IOException {
        closing = true;
        count.wake();
        Uninterrupted.await(thread::join);
        count.leave();
    }
}
