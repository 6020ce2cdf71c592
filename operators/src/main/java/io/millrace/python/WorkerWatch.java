package io.millrace.python;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that ends a worker whose call takes too long, and that ends the wait for a worker that has died. The control channel
 * alone does not show the death when processes that the user's code has forked keep it open.
 */
final class WorkerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerWatch.class);

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Process process;
    private final WorkerChannel channel;
    private final Thread thread;

    /** The end of the time of the call by {@link System#nanoTime}; the caller's thread writes it before {@link #calling}. */
    private volatile long deadline;

    /** Volatile, because two threads use it: whether a call is being waited for. */
    private volatile boolean calling;

    /** Volatile, because two threads use it: whether the worker was ended because of the deadline. */
    private volatile boolean late;

    private volatile boolean closed;

    WorkerWatch(String name, Process process, WorkerChannel channel) {
        this.process = process;
        this.channel = channel;
        thread = new Thread(this::watch, name + "-watch");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Begins the wait for an answer. */
    void begin(Duration timeout) {
        deadline = System.nanoTime() + timeout.toNanos();
        calling = true;
    }

    /** Ends the wait for an answer. */
    void end() {
        calling = false;
    }

    /** Returns whether a call took too long. */
    boolean late() {
        return late;
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(INTERVAL_NANOS);
            if (calling && System.nanoTime() - deadline > 0) {
                late = true;
                process.destroyForcibly();
            }
            if (!process.isAlive()) {
                closeChannel();
                return;
            }
        }
    }

    private void closeChannel() {
        // What the worker wrote before its end is read first: the reader sees it at once, or the end of the channel.
        LockSupport.parkNanos(INTERVAL_NANOS);
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("the channel of an ended worker cannot be closed", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
