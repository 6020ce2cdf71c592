package io.millrace.python;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
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

    /** Volatile, because two threads use it: the process that works; the one that was started, or a child of it. */
    private volatile ProcessHandle worker;

    private final WorkerChannel channel;
    private final Thread thread;

    /**
     * The functions of a call, which follow one another.
     *
     * @param timeouts the longest time of each function
     * @param number returns the number of the function that is being called, from 0
     */
    record Functions(List<Duration> timeouts, IntSupplier number) {
        /** Returns a single function. */
        static Functions one(Duration timeout) {
            return new Functions(List.of(timeout), () -> 0);
        }

        /** Returns the number of the function that is being called, also where the worker has written another one. */
        int current() {
            return Math.max(0, Math.min(timeouts.size() - 1, number.getAsInt()));
        }
    }

    /** Volatile, because two threads use it: the functions of the latest call. */
    private volatile Functions functions = Functions.one(Duration.ZERO);

    /** Volatile, because two threads use it: the number of the function to which the deadline belongs. */
    private volatile int watched;

    /** The end of the function's time by {@link System#nanoTime}; the caller's thread writes it before {@link #calling}. */
    private volatile long deadline;

    /** Volatile, because two threads use it: whether a call is being waited for. */
    private volatile boolean calling;

    /** Volatile, because two threads use it: whether the worker was ended because of the deadline. */
    private volatile boolean late;

    private volatile boolean closed;

    WorkerWatch(String name, Process process, WorkerChannel channel) {
        this.process = process;
        this.worker = process.toHandle();
        this.channel = channel;
        thread = new Thread(this::watch, name + "-watch");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Begins the wait for an answer. */
    void begin(Functions called) {
        functions = called;
        watched = 0;
        deadline = System.nanoTime() + called.timeouts().get(0).toNanos();
        calling = true;
    }

    /** Watches another process, which works from now on. */
    void watch(ProcessHandle other) {
        worker = other;
        late = false;
    }

    /** Returns the process that works. */
    ProcessHandle worker() {
        return worker;
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
            if (calling) {
                watchFunction();
            }
            if (calling && !late && System.nanoTime() - deadline > 0) {
                late = true;
                worker.destroyForcibly();
            }
            if (!process.isAlive()) {
                closeChannel();
                return;
            }
        }
    }

    /** Gives each function its own time. Its begin is known to an interval of this thread. */
    private void watchFunction() {
        Functions called = functions;
        int number = called.current();
        if (number != watched) {
            watched = number;
            deadline = System.nanoTime() + called.timeouts().get(number).toNanos();
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
