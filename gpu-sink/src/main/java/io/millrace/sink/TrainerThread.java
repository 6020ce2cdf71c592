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
 * <p>The task's thread submits whole batches in order and later asks it to end; the listener hears, on the trainer's
 * thread, of each batch that is done and of a failure.
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

    private record End(boolean finished) implements Work {}

    private final Callable<Trainer> opener;
    private final Listener listener;
    private final BlockingQueue<Work> queue;
    private final CompletableFuture<TrainReport> report = new CompletableFuture<>();
    private final Thread thread;

    /** Written by the trainer's thread, read after it has ended. */
    private @Nullable TrainReport done;

    /** Volatile: set by the task's thread, read by the trainer's between batches. */
    private volatile boolean stopping;

    /**
     * A thread that is not yet started.
     *
     * @param opener makes the trainer, on the trainer's thread
     * @param batches how many batches can be submitted at a time
     */
    TrainerThread(String name, int batches, Callable<Trainer> opener, Listener listener) {
        this.opener = opener;
        this.listener = listener;
        this.queue = new ArrayBlockingQueue<>(batches + 2); // and an End from finish and one from close
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

    /** Asks for the end after all submitted batches; the future has the report, or why there is none. */
    Future<TrainReport> finish() {
        queue.add(new End(true));
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
        queue.offer(new End(false));
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
        try {
            TrainReport told;
            try (Trainer trainer = opener.call()) {
                told = tell(trainer);
                done = told;
            }
            report.complete(told); // only now: the files of the run are closed
            listener.ended();
        } catch (Throwable e) { // also linkage errors of natives: whatever it is must end the job
            report.completeExceptionally(e);
            listener.failed(e);
        }
    }

    /** Works to the end; what was done before a failure is kept. */
    private TrainReport tell(Trainer trainer) throws IOException, InterruptedException {
        try {
            return work(trainer);
        } catch (Throwable e) {
            try {
                done = trainer.report(false);
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    private TrainReport work(Trainer trainer) throws IOException, InterruptedException {
        while (true) {
            long asked = System.nanoTime();
            Work work = queue.take();
            if (stopping) {
                return trainer.end(false);
            }
            if (work instanceof TrainOn trainOn) {
                trainer.accept(trainOn.batch, System.nanoTime() - asked);
                listener.trained(trainOn.batch);
            } else if (work instanceof End end) {
                return trainer.end(end.finished);
            }
        }
    }
}
