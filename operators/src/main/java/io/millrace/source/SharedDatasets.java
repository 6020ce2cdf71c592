package io.millrace.source;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The open datasets of this process. All readers of a run share one dataset, because a listing of a million files takes
 * seconds and memory, and each Flink slot would otherwise need its own. The first reader opens the dataset while the
 * others wait, and the last reader that closes it closes it for all. Another run opens its own dataset, because the
 * files may have changed in between. Any thread may use an instance.
 */
final class SharedDatasets {
    /** Opens a dataset that is not open yet. */
    @FunctionalInterface
    interface Opening {
        Dataset open() throws IOException;
    }

    private record Key(String run, DatasetSpec spec) {}

    private static final SharedDatasets OF_THIS_PROCESS = new SharedDatasets();

    private final ConcurrentMap<Key, Shared> known = new ConcurrentHashMap<>();

    /** Returns the datasets of this process. */
    static SharedDatasets ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /** Returns the run's dataset. The caller closes it; a second close does nothing. */
    Dataset open(String run, DatasetSpec spec) throws IOException {
        return open(run, spec, spec::open);
    }

    Dataset open(String run, DatasetSpec spec, Opening opening) throws IOException {
        Key key = new Key(run, spec);
        Dataset opened = null;
        while (opened == null) {
            opened = known.computeIfAbsent(key, Shared::new).join(opening);
        }
        return opened;
    }

    /** Returns the number of datasets that are open or being opened. */
    int size() {
        return known.size();
    }

    /** A dataset and its users. */
    private final class Shared {
        private final Key key;
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Dataset dataset;
        private int users;
        private boolean ended;

        Shared(Key key) {
            this.key = key;
        }

        /** Returns a view for one more user, or null when the last user has just left and the dataset is closed. */
        private @Nullable Dataset join(Opening opening) throws IOException {
            try {
                // Opening may take long, and a task that waits for it may be cancelled.
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException)
                        new InterruptedIOException("interrupted while another reader opens the dataset").initCause(e);
            }
            try {
                if (ended) {
                    return null;
                }
                Dataset open = dataset == null ? opening.open() : dataset;
                dataset = open;
                tellReaders(open, users + 1);
                users++;
                return new View(open, this);
            } finally {
                if (users == 0) { // the dataset could not be opened: the next reader tries again
                    end();
                }
                lock.unlock();
            }
        }

        private void tellReaders(Dataset open, int count) throws IOException {
            try {
                open.readers(count);
            } catch (IOException | RuntimeException e) {
                if (users == 0) {
                    Handles.closeAfter(e, open);
                }
                throw e;
            }
        }

        private void leave() throws IOException {
            Dataset last = null;
            lock.lock();
            try {
                users--;
                if (users == 0) {
                    last = dataset;
                    end();
                } else if (dataset != null) {
                    dataset.readers(users);
                }
            } finally {
                lock.unlock();
            }
            if (last != null) {
                last.close();
            }
        }

        private void end() {
            ended = true;
            known.remove(key, this);
        }
    }

    /** The view of one user. */
    private static final class View extends ForwardingDataset {
        private final Shared shared;
        private final AtomicBoolean closed = new AtomicBoolean();

        View(Dataset dataset, Shared shared) {
            super(dataset);
            this.shared = shared;
        }

        /** Does nothing: all users together tell the dataset their number. */
        @Override
        public void readers(int count) {}

        @Override
        public void close() throws IOException {
            if (closed.compareAndSet(false, true)) {
                shared.leave();
            }
        }
    }
}
