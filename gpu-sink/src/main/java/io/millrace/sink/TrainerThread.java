package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that trains: DJL keeps its gradient mode per thread, and training must not hold up Flink's mailbox.
 *
 * <p>The task's thread submits whole batches in order, asks for copies of the state between them, and later for the end;
 * the listener hears, on the trainer's thread, of each batch that is done and of a failure. After the end the thread
 * still gives copies, for Flink's last checkpoint, until it is stopped.
 */
final class TrainerThread {
    /** Told on the trainer's thread; must not block. */
    interface Listener {
        void trained(DeviceBatch batch);

        /** The report is there. */
        void ended();

        void failed(Throwable cause);
    }

    private sealed interface Work {}

    private record TrainOn(DeviceBatch batch) implements Work {}

    private record Copy(CompletableFuture<TrainerSnapshot> copied) implements Work {}

    private record End(Ending ending, TaskProgress task) implements Work {}

    /** Wakes the thread, which sees that it shall stop. */
    private record Stop() implements Work {}

    /** Beside batches: a copy, an end and a stop. */
    private static final int MORE_WORK = 3;

    private final Callable<Trainer> opener;
    private final Listener listener;
    private final BlockingQueue<Work> queue;
    private final CompletableFuture<TrainReport> report = new CompletableFuture<>();
    private final Thread thread;

    /** Written by the trainer's thread, read after it has ended. */
    private @Nullable TrainReport done;

    /** Volatile: set by the task's thread, read by the trainer's between batches. */
    private volatile boolean stopping;

    /** Volatile: set by the trainer's thread when it dies, read by the task's, whose requests nobody answers then. */
    private volatile @Nullable Throwable failure;

    /**
     * A thread that is not yet started.
     *
     * @param opener makes the trainer, on the trainer's thread
     * @param batches how many batches can be submitted at a time
     */
    TrainerThread(String name, int batches, Callable<Trainer> opener, Listener listener) {
        this.opener = opener;
        this.listener = listener;
        this.queue = new ArrayBlockingQueue<>(batches + MORE_WORK);
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Hands over a sealed batch, to be trained on after those before it. */
    void submit(DeviceBatch batch) {
        queue.add(new TrainOn(batch));
    }

    /** Asks for a copy of the state after all submitted batches; one at a time. Whoever takes it closes its model. */
    Future<TrainerSnapshot> copy() {
        Copy request = new Copy(new CompletableFuture<>());
        queue.add(request);
        Throwable dead = failure;
        if (dead != null) {
            request.copied.completeExceptionally(dead);
        }
        return request.copied;
    }

    /** Asks for the end after all submitted batches; the future has the report, or why there is none. */
    Future<TrainReport> finish(Ending ending, TaskProgress task) {
        queue.add(new End(ending, task));
        return report;
    }

    /**
     * Stops after the batch in training and waits until the thread has ended and released the model. An interrupt does
     * not cut this short (a task that is cancelled is interrupted), it is kept for the caller.
     *
     * @return what was done, also when the trainer failed (the listener has heard why); null when it could not be opened
     */
    @Nullable
    TrainReport stop() {
        stopping = true;
        queue.offer(new Stop());
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    thread.join();
                    return done;
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

    private void run() {
        try (Trainer trainer = opener.call()) {
            work(trainer);
        } catch (Throwable e) { // also linkage errors of natives: whatever it is must end the job
            failure = e;
            report.completeExceptionally(e);
            for (Work left = queue.poll(); left != null; left = queue.poll()) {
                if (left instanceof Copy copy) {
                    copy.copied.completeExceptionally(e);
                }
            }
            listener.failed(e);
        }
    }

    /** Works until it is stopped; what was done before a failure is kept. */
    private void work(Trainer trainer) throws IOException, InterruptedException {
        try {
            while (true) {
                long asked = System.nanoTime();
                Work work = queue.take();
                if (stopping) {
                    break;
                }
                if (work instanceof TrainOn trainOn) {
                    trainer.accept(trainOn.batch, System.nanoTime() - asked);
                    listener.trained(trainOn.batch);
                } else if (work instanceof Copy copy) {
                    copy.copied.complete(trainer.snapshot());
                } else if (work instanceof End end) {
                    done = trainer.end(end.ending, end.task);
                    report.complete(done);
                    listener.ended();
                }
            }
        } finally {
            if (done == null) {
                done = trainer.report();
            }
        }
    }
}
