package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The thread that trains. It is one thread because DJL keeps its gradient mode per thread, and its own because training
 * must not hold up Flink's mailbox.
 *
 * <p>The task's thread submits complete batches in order, requests copies of the state between them, and later the end.
 * The listener is called on the trainer's thread for each batch that is done and for a failure. After the end the
 * thread still makes copies, for Flink's last checkpoint, until it is stopped.
 */
final class TrainerThread {
    /** The receiver of the thread's events; it is called on the trainer's thread and must not block. */
    interface Listener {
        /** The trainer is done with a batch. */
        void trained(DeviceBatch batch);

        /** This rank and its replicas wait for a checkpoint. */
        void held(long checkpoint);

        /** This rank and its replicas are at a checkpoint's barrier, all behind the same batch. */
        void paused(long checkpoint);

        /** The training has ended, and the report is there. */
        void ended();

        /** The training has failed. */
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

    /** Written by the trainer's thread, read after it has ended. */
    private @Nullable TrainReport done;

    /** Volatile: set by the task's thread, read by the trainer's between batches. */
    private volatile boolean stopping;

    /**
     * Volatile: set by the trainer's thread when it ends by a failure, read by the task's, whose requests then fail.
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

    /** Submits a batch to train on after the earlier ones. The batch is sealed, unless there are replicas. */
    void submit(DeviceBatch batch) {
        queue.add(new TrainOn(batch));
    }

    /**
     * With replicas: reports that this rank is at a checkpoint's barrier; the listener is called when all ranks are
     * there.
     */
    void pause(long checkpoint) {
        queue.add(new Pause(checkpoint));
    }

    /** With replicas: continues after a checkpoint, whether it succeeded or was aborted. */
    void resume(long checkpoint) {
        queue.add(new Resume(checkpoint));
    }

    /**
     * Requests a copy of the state after all submitted batches, one at a time. The receiver closes the copy's model.
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

    /** Requests the end after all submitted batches; the future has the report, or the failure. */
    Future<TrainReport> finish(TrainingOutcome ending, TaskProgress task) {
        queue.add(new End(ending, task));
        return report;
    }

    /**
     * Stops after the batch in training, and waits until the thread has ended and released the model. An interrupt, as
     * of a cancelled task, does not end the wait; it is kept for the caller.
     *
     * @return the report, also of a trainer that failed (the listener received the failure); null when the trainer
     *     could not be opened
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
            Optional<Replicas> replicas = trainer.replicas();
            work(trainer, replicas.isEmpty() ? null : new BatchAgreement(replicas.get(), first));
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

    /** Works until the thread is stopped; the report of the work before a failure is kept. */
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

    /** With replicas: does work that concerns batches and barriers. Returns false for other work. */
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
