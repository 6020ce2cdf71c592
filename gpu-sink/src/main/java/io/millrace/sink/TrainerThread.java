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

        /** This rank and its replicas wait for a checkpoint. */
        void held(long checkpoint);

        /** This rank is at a checkpoint's barrier, and so are its replicas: all behind the same batch. */
        void paused(long checkpoint);

        /** The report is there. */
        void ended();

        void failed(Throwable cause);
    }

    private sealed interface Work {}

    private record TrainOn(DeviceBatch batch) implements Work {}

    private record Copy(CompletableFuture<TrainerSnapshot> copied) implements Work {}

    private record End(TrainingOutcome ending, TaskProgress task) implements Work {}

    private record Pause(long checkpoint) implements Work {}

    private record Resume(long checkpoint) implements Work {}

    /** Wakes the thread, which sees that it shall stop. */
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

    /** Volatile: set by the trainer's thread when it dies, read by the task's, whose requests nobody answers then. */
    private volatile @Nullable Throwable failure;

    /**
     * A thread that is not yet started.
     *
     * @param opener makes the trainer, on the trainer's thread
     * @param first the number of the first batch
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

    /** Hands over a batch, to be trained on after those before it; sealed, but where there are replicas. */
    void submit(DeviceBatch batch) {
        queue.add(new TrainOn(batch));
    }

    /** With replicas: this rank is at the barrier of a checkpoint; the listener hears when all agree on where it is. */
    void pause(long checkpoint) {
        queue.add(new Pause(checkpoint));
    }

    /** With replicas: goes on after a checkpoint, whatever became of it. */
    void resume(long checkpoint) {
        queue.add(new Resume(checkpoint));
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
    Future<TrainReport> finish(TrainingOutcome ending, TaskProgress task) {
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

    /** Works until it is stopped; what was done before a failure is kept. */
    private void work(Trainer trainer, @Nullable BatchAgreement turns) throws IOException, InterruptedException {
        try {
            while (true) {
                long asked = System.nanoTime();
                Work work = turns == null || turns.idle() ? queue.take() : queue.poll();
                if (stopping) {
                    break;
                }
                if (turns != null && turn(trainer, turns, work)) {
                    continue;
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

    /** With replicas: what concerns batches and barriers. False for other work. */
    private boolean turn(Trainer trainer, BatchAgreement turns, @Nullable Work work) throws IOException {
        if (work instanceof TrainOn trainOn) {
            turns.add(trainOn.batch);
        } else if (work instanceof Pause pause) {
            turns.atBarrier(pause.checkpoint);
        } else if (work instanceof Resume resume) {
            turns.resume(resume.checkpoint);
        } else if (work != null) {
            return false;
        } else {
            long asked = System.nanoTime();
            DeviceBatch batch = turns.agree();
            if (batch != null) {
                trainer.accept(batch, System.nanoTime() - asked);
                listener.trained(batch);
            } else if (turns.heldFor() >= 0) {
                listener.held(turns.heldFor());
            }
        }
        long reached = turns.reached();
        if (reached >= 0) {
            listener.paused(reached);
        }
        return true;
    }
}
