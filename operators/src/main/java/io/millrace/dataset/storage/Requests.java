package io.millrace.dataset.storage;

import io.millrace.dataset.StorageOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests to a storage. The number of requests that are pending at once is bounded. Each request has a time limit,
 * and is sent again after a transient failure. Requests run on their own threads, because clients of remote storage
 * ignore interrupts. A thread that waits for a request stops at once when it is interrupted, and the late answer is
 * dropped. A request must therefore write nowhere except into its result.
 *
 * <p>Safe for several threads.
 */
final class Requests {
    private static final Logger LOG = LoggerFactory.getLogger(Requests.class);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /**
     * The limit for retries before the storage has answered once. Until then, a wrong address is more likely than a
     * transient failure.
     */
    private static final int RETRIES_BEFORE_FIRST_ANSWER = 6;

    private static final long IDLE_SECONDS = 10;

    /**
     * Thread pools by their number of threads. All users of the same number share a pool, so the number limits the
     * whole process.
     */
    private static final Map<Integer, ThreadPoolExecutor> THREADS = new ConcurrentHashMap<>();

    private final ThreadPoolExecutor threads;
    private final int retries;
    private final Duration timeout;

    /** Whether the storage has answered once. Volatile: several threads set it, but only to true. */
    private volatile boolean answered;

    Requests(StorageOptions options) {
        threads = THREADS.computeIfAbsent(options.requests(), Requests::threads);
        retries = options.retries();
        timeout = options.timeout();
    }

    private static ThreadPoolExecutor threads(int count) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), run -> {
                    Thread thread = new Thread(run, "storage-request");
                    thread.setDaemon(true);
                    // The thread may outlive the job whose thread starts it. Clients of storage find classes through
                    // the context class loader, and Flink closes the job's loader when the job ends.
                    thread.setContextClassLoader(Requests.class.getClassLoader());
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** One request to the storage. */
    @FunctionalInterface
    interface Request<T> extends Callable<T> {
        @Override
        T call() throws IOException;
    }

    /**
     * Sends a request and waits for the answer.
     *
     * @param name the file's name for people
     * @throws io.millrace.dataset.DatasetException when the request fails permanently; the message is a sentence for
     *     the user
     * @throws InterruptedIOException when the thread is interrupted
     */
    <T> T send(String name, Request<T> request) throws IOException {
        return start(name, request).await();
    }

    /** Starts a request without waiting for the answer. */
    <T> Pending<T> start(String name, Request<T> request) {
        return new Pending<>(name, request);
    }

    /** A pending request. Belongs to one thread. */
    final class Pending<T> {
        private final String name;
        private final Request<T> request;
        private Attempt<T> attempt;

        private Pending(String name, Request<T> request) {
            this.name = name;
            this.request = request;
            this.attempt = send();
        }

        private Attempt<T> send() {
            Attempt<T> next = new Attempt<>(request);
            threads.execute(next);
            return next;
        }

        /** Waits for the answer. Sends the request again after a transient failure, as long as retries are left. */
        T await() throws IOException {
            for (int tries = 1; ; tries++) {
                try {
                    T answer = attempt.answer(timeout);
                    answered = true;
                    return answer;
                } catch (InterruptedException e) {
                    throw interrupted();
                } catch (IOException e) {
                    int limit = answered ? retries : Math.min(retries, RETRIES_BEFORE_FIRST_ANSWER);
                    if (tries > limit || !RemoteFailures.isTransient(e)) {
                        throw RemoteFailures.translate(name, e, tries);
                    }
                    long pauseMillis = pauseMillis(tries);
                    LOG.info(
                            "{}: try {} failed, the next try starts in {} ms: {}",
                            name,
                            tries,
                            pauseMillis,
                            e.toString());
                    pause(pauseMillis);
                    attempt = send();
                }
            }
        }

        private void pause(long millis) throws IOException {
            try {
                TimeUnit.MILLISECONDS.sleep(millis);
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }

        private InterruptedIOException interrupted() {
            drop();
            Thread.currentThread().interrupt();
            return new InterruptedIOException("interrupted while waiting for " + name);
        }

        /** Abandons the request. */
        void drop() {
            attempt.cancel(true);
        }
    }

    /**
     * Returns the pause before the next try. It doubles with each try, and half of it is random, so that readers do not
     * all try again at the same time.
     */
    static long pauseMillis(int tries) {
        long most = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries - 1, 16));
        return most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1);
    }

    /** One try of a request. Its time limit begins when a thread starts it. */
    private static final class Attempt<T> extends FutureTask<T> {
        private static final long NOT_BEGUN = Long.MIN_VALUE;

        /**
         * The time at which the try began. Volatile: the thread that runs this try writes it once, and the waiting
         * thread reads it.
         */
        private volatile long begunNanos = NOT_BEGUN;

        Attempt(Request<T> request) {
            super(request);
        }

        @Override
        public void run() {
            begunNanos = System.nanoTime();
            super.run();
        }

        T answer(Duration limit) throws IOException, InterruptedException {
            long waitNanos = limit.toNanos();
            while (true) {
                try {
                    return get(waitNanos, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    long begun = begunNanos;
                    waitNanos = begun == NOT_BEGUN ? limit.toNanos() : begun + limit.toNanos() - System.nanoTime();
                    if (waitNanos <= 0) {
                        cancel(true);
                        throw new IOException("no answer within " + limit.toMillis() / 1e3 + " s", e);
                    }
                } catch (ExecutionException e) {
                    throw failure(Objects.requireNonNullElse(e.getCause(), e));
                }
            }
        }

        private static IOException failure(Throwable cause) {
            if (cause instanceof IOException failure) {
                return failure;
            }
            if (cause instanceof UncheckedIOException unchecked) {
                return new IOException(unchecked.getMessage(), unchecked);
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("a request to the storage failed: " + cause, cause);
        }
    }
}
