package io.millrace.sink.trainer;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import io.millrace.lifecycle.Uninterrupted;
import io.millrace.sink.figures.TaskProgress;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.progress.TrainerSnapshot;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The thread that trains. A single thread trains, because DJL keeps its gradient mode per thread. It is not the task's
 * thread, because training must not block Flink's mailbox.
 *
 * <p>The task's thread submits complete batches in order, requests copies of the state between them, and finally
 * requests the end. The listener is called on the trainer's thread for each batch that is done and for a failure. After
 * the end, the thread still makes copies for Flink's last checkpoint, until it is stopped.
 *
 * <p>Tested by {@code TrainOperatorTest}.
 */
final class TrainerThread {
    /** The receiver of the thread's events; it is called on the trainer's thread and must not block. */
    interface Listener {
        /** Hears that the trainer is done with a batch. */
        void trained(DeviceBatch batch);

        /** Hears that this rank and its replicas wait for a checkpoint. */
        void held(long checkpoint);

        /** Hears that this rank and its replicas are at a checkpoint's barrier, all after the same batch. */
        void paused(long checkpoint);

        /** Hears that the training has ended and the report is available. */
        void ended();

        /** Hears that the training has failed. */
        void failed(Throwable cause);
    }

    private sealed interface Work {}

    private record TrainOn(DeviceBatch batch) implements Work {}

    private record Copy(CompletableFuture<TrainerSnapshot> copied) implements Work {}

    private record End(TrainingOutcome ending, TaskProgress task) implements Work {}

    private record Pause(long checkpoint) implements Work {}

    private record Resume(long checkpoint) implements Work {}

    /** Wakes the thread so that it sees the flag {@code stopping}. */
    private record Stop() implements Work {}

    private final long first;
    private final Callable<Trainer> opener;
    private final Listener listener;
    private final BlockingQueue<Work> queue;
    private final CompletableFuture<TrainReport> report = new CompletableFuture<>();
    private final Thread thread;

    /** The trainer's thread writes this report, and other threads read it after that thread has ended. */
    private @Nullable TrainReport done;

    /** Volatile: the task's thread sets it, and the trainer's thread reads it between batches. */
    private volatile boolean stopping;

    /**
     * Volatile: the trainer's thread sets it when it fails, and the task's thread reads it, whose requests then fail.
     */
    private volatile @Nullable Throwable failure;

    /**
     * Creates a thread that is not started yet.
     *
     * @param first the number of the first batch
     * @param opener opens the trainer, on the trainer's thread
     */
    TrainerThread(String name, long first, Callable<Trainer> opener, Listener listener) {
        this.first = first;
        this.opener = opener;
        this.listener = listener;
        this.queue = new LinkedBlockingQueue<>();
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Submits the next batch to train on. The batch must be sealed, unless there are replicas. */
    void submit(DeviceBatch batch) {
        queue.add(new TrainOn(batch));
    }

    /**
     * Reports that this rank is at a checkpoint's barrier. The listener is called when all ranks are there. Only for
     * replicas.
     */
    void pause(long checkpoint) {
        queue.add(new Pause(checkpoint));
    }

    /** Continues after a checkpoint, whether it succeeded or was aborted. Only for replicas. */
    void resume(long checkpoint) {
        queue.add(new Resume(checkpoint));
    }

    /**
     * Requests a copy of the state after all submitted batches. Only one request may be pending. The receiver closes
     * the model of the copy.
     */
    Future<TrainerSnapshot> copy() {
        Copy request = new Copy(new CompletableFuture<>());
        queue.add(request);
        Throwable dead = failure;
        if (dead != null) {
            request.copied.completeExceptionally(dead);
        }
        return request.copied;
    }

    /** Requests the end after all submitted batches. The future completes with the report or with the failure. */
    Future<TrainReport> finish(TrainingOutcome ending, TaskProgress task) {
        queue.add(new End(ending, task));
        return report;
    }

    /**
     * Stops the thread after the batch in training, and waits until it has ended and released the model. An interrupt
     * does not end the wait, for example when the task is cancelled. The caller's interrupt flag is restored.
     *
     * @return the report, even if the trainer failed (the listener received the failure); null when the trainer could
     *     not be opened
     */
    @Nullable
    TrainReport stop() {
        stopping = true;
        queue.offer(new Stop());
        Uninterrupted.await(thread::join);
        return done;
    }

    private void run() {
        try (Trainer trainer = opener.call()) {
            Optional<Replicas> replicas = trainer.replicas();
            work(trainer, replicas.isEmpty() ? null : new BatchAgreement(replicas.get(), first));
        } catch (Throwable e) { // every failure must end the job, also a linkage error of a native library
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

    /** Works until the thread is stopped. After a failure, keeps the report of the work before it. */
    private void work(Trainer trainer, @Nullable BatchAgreement agreement) throws IOException, InterruptedException {
        try {
            while (true) {
                long waitBegan = System.nanoTime();
                Work work = agreement == null || agreement.idle() ? queue.take() : queue.poll();
                if (stopping) {
                    break;
                }
                if (agreement != null && agree(trainer, agreement, work)) {
                    continue;
                }
                if (work instanceof TrainOn trainOn) {
                    trainer.accept(trainOn.batch, System.nanoTime() - waitBegan);
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

    /**
     * Does work that the replicas must agree on: batches and barriers. Returns false for other work. Only for replicas.
     */
    private boolean agree(Trainer trainer, BatchAgreement agreement, @Nullable Work work) throws IOException {
        if (work instanceof TrainOn trainOn) {
            agreement.add(trainOn.batch);
        } else if (work instanceof Pause pause) {
            agreement.atBarrier(pause.checkpoint);
        } else if (work instanceof Resume resume) {
            agreement.resume(resume.checkpoint);
        } else if (work != null) {
            return false;
        } else {
            long waitBegan = System.nanoTime();
            DeviceBatch batch = agreement.agree();
            if (batch != null) {
                trainer.accept(batch, System.nanoTime() - waitBegan);
                listener.trained(batch);
            } else if (agreement.heldFor() >= 0) {
                listener.held(agreement.heldFor());
            }
        }
        long reached = agreement.reached();
        if (reached >= 0) {
            listener.paused(reached);
        }
        return true;
    }
}
