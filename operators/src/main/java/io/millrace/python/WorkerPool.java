package io.millrace.python;

import io.millrace.dataset.DatasetException;
import io.millrace.metrics.CodeProfile;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of a dataset. Any thread may use an instance.
 *
 * <p>The workers are copies of one process, the parent, which has made the dataset. Where it cannot be copied, each worker is a
 * process that makes the dataset anew.
 *
 * <p>One thread of the pool starts all processes and lives until the pool is closed, because the system ends a process with the
 * thread that started it. The threads that read end earlier.
 *
 * <p>Tested by {@code PythonDatasetTest}.
 */
final class WorkerPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    private final DatasetTask task;
    private final CodeSamples samples;
    private final ExecutorService starter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The workers that nobody uses, the last one returned first: its memory is in the CPU's cache. */
    private final Deque<DatasetWorker> idle = new ArrayDeque<>();

    private int limit = 1;
    private int count;
    private int started;
    private boolean closed;

    /**
     * The process whose copies the workers are; null before it has started, and where it cannot be copied. Volatile, because the
     * starter sets it and another thread closes it.
     */
    private volatile @Nullable PythonWorker parent;

    /** The number of processes that have made the dataset. The starter uses it. */
    private int made;

    /** Whether the latest process that made the dataset could be copied. The starter uses it. */
    private boolean copies = true;

    WorkerPool(DatasetTask task) {
        this.task = task;
        this.samples = new CodeSamples(task.call());
        this.starter = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, task.name() + "-starter");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Returns the profile of the user's code over all workers until now. */
    CodeProfile code() {
        return samples.profile();
    }

    /** Sets the largest number of workers, and starts those that are missing, so that they import their modules now. */
    void limit(int workers) throws DatasetException, InterruptedIOException {
        List<DatasetWorker> surplus = new ArrayList<>();
        int missing;
        lock.lock();
        try {
            limit = workers;
            while (count > limit && !idle.isEmpty()) {
                surplus.add(idle.pop());
                count--;
            }
            missing = closed ? 0 : limit - count;
            count += Math.max(0, missing);
        } finally {
            lock.unlock();
        }
        surplus.forEach(DatasetWorker::close);
        for (int i = 0; i < missing; i++) {
            giveBack(start());
        }
    }

    /** Takes a worker, which the caller gives back or discards. Waits while as many workers as allowed are at work. */
    DatasetWorker take() throws DatasetException, InterruptedIOException {
        lock.lock();
        try {
            while (idle.isEmpty() && count >= limit && !closed) {
                changed.await();
            }
            if (closed) {
                throw new DatasetException(task.call() + " is closed");
            }
            DatasetWorker found = idle.poll();
            if (found != null) {
                return found;
            }
            count++;
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
        return start();
    }

    /** Starts a worker that is counted already. */
    private DatasetWorker start() throws DatasetException, InterruptedIOException {
        Future<DatasetWorker> starting;
        lock.lock();
        try {
            if (closed) {
                throw new DatasetException(task.call() + " is closed");
            }
            DatasetTask named = task.named(task.name() + "-" + started++);
            starting = starter.submit(() -> started(named));
        } finally {
            lock.unlock();
        }
        try {
            return starting.get();
        } catch (ExecutionException e) {
            leave();
            if (e.getCause() instanceof PythonException wrong) {
                throw new DatasetException(String.valueOf(wrong.getMessage()), wrong);
            }
            throw new IllegalStateException("a worker of " + task.call() + " cannot be started", e.getCause());
        } catch (InterruptedException e) {
            leave(); // the worker, if there is one, ends with the thread that starts it
            throw interrupted(e);
        }
    }

    /** Starts a worker in the thread of the pool. A process that cannot be copied is a worker itself. */
    private DatasetWorker started(DatasetTask named) {
        PythonWorker copied = parent;
        if (copied == null || !copied.isAlive()) {
            if (copied != null) {
                copied.close();
            }
            parent = null;
            PythonWorker maker = PythonWorker.start(named, samples);
            made++;
            if (!copies) {
                return new DatasetWorker(maker, made); // several of them make the dataset at the same time
            }
            try {
                maker.awaitStart();
            } catch (PythonException e) {
                maker.close();
                throw e;
            }
            copies = maker.isParent();
            if (!copies) {
                return new DatasetWorker(maker, made);
            }
            parent = maker;
            copied = maker;
        }
        return new DatasetWorker(copied.member(named, samples), made);
    }

    private InterruptedIOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return (InterruptedIOException)
                new InterruptedIOException("interrupted while waiting for a worker of " + task.call()).initCause(e);
    }

    /** Gives a worker back. */
    void giveBack(DatasetWorker worker) {
        lock.lock();
        try {
            if (!closed && count <= limit) {
                idle.push(worker);
                changed.signal();
                return;
            }
            count--;
        } finally {
            lock.unlock();
        }
        worker.close();
    }

    /** Ends a worker that is of no further use. */
    void discard(DatasetWorker worker) {
        leave();
        worker.close();
    }

    private void leave() {
        lock.lock();
        try {
            count--;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all workers. Those that are in use end with the thread that started them. */
    @Override
    public void close() {
        List<DatasetWorker> left;
        lock.lock();
        try {
            closed = true;
            left = List.copyOf(idle);
            idle.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        left.forEach(DatasetWorker::close);
        starter.shutdownNow(); // a process that still makes the dataset ends with its thread
        PythonWorker last = parent;
        if (last != null) {
            last.close();
        }
        LOG.debug("{}: {} workers were started", task.name(), started);
    }
}
