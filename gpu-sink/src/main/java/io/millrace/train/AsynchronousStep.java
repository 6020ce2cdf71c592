package io.millrace.train;

import io.millrace.device.AsynchronousDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.exchange.GradientExchange;
import io.millrace.lifecycle.Handles;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A training step on an {@link AsynchronousDevice}: the CPU computes on the device's engine stream, and the trainer's
 * thread only enqueues. Training steps and evaluation batches may be simulated to last longer than the CPU needs. Owns
 * the step that computes.
 */
public final class AsynchronousStep implements TrainStep {
    private final AsynchronousDevice device;
    private final HostDevice host;
    private final TrainStep step;
    private boolean replicated;

    private AsynchronousStep(AsynchronousDevice device, HostDevice host, TrainStep step) {
        this.device = device;
        this.host = host;
        this.step = step;
    }

    /** An opener of the step that computes. It is called on the thread that computes. */
    @FunctionalInterface
    public interface Opener {
        /** Opens the step for batches in the memory of the host. */
        TrainStep open(HostDevice host);
    }

    /**
     * Opens a step.
     *
     * @param device the device of the batches; the caller closes it after the step
     */
    public static AsynchronousStep open(AsynchronousDevice device, Opener opener) {
        Handles opened = new Handles();
        return opened.closeOnFailure(() -> {
            HostDevice host = opened.add(new HostDevice());
            TrainStep computing = await(device.compute(() -> opener.open(host), made -> Duration.ZERO));
            return new AsynchronousStep(device, host, computing);
        });
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        return enqueue(batch).result();
    }

    /**
     * Enqueues the step. With replicas, the call waits for the result. The step averages gradients on the device's thread,
     * and the caller uses the same connection to agree with the replicas on the next batch.
     */
    @Override
    public Pending<StepResult> enqueue(DeviceBatch batch) {
        Duration lasting = lasting(batch);
        CompletableFuture<StepResult> result = device.compute(() -> step.train(batch), trained -> lasting);
        if (replicated) {
            await(result);
        }
        return new Pending<>() {
            @Override
            public boolean isDone() {
                return result.isDone();
            }

            @Override
            public StepResult result() {
                StepResult made = await(result);
                long missing = lasting.toNanos() - made.transferNanos() - made.computeNanos();
                return new StepResult(
                        made.loss(), made.transferNanos(), made.computeNanos() + Math.max(0, missing), made.parts());
            }
        };
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        return enqueueEvaluation(batch).result();
    }

    @Override
    public Pending<EvaluationResult> enqueueEvaluation(DeviceBatch batch) {
        Duration lasting = lasting(batch);
        CompletableFuture<EvaluationResult> result = device.compute(() -> step.evaluate(batch), made -> lasting);
        return new Pending<>() {
            @Override
            public boolean isDone() {
                return result.isDone();
            }

            @Override
            public EvaluationResult result() {
                return await(result);
            }
        };
    }

    private Duration lasting(DeviceBatch batch) {
        return batch.rows() == 0 ? Duration.ZERO : device.leastStep();
    }

    @Override
    public void replicate(GradientExchange exchange) {
        run(() -> {
            step.replicate(exchange);
            return null;
        });
        replicated = true;
    }

    @Override
    public String parametersSha256() {
        return run(step::parametersSha256);
    }

    @Override
    public long parameterCount() {
        return run(step::parameterCount);
    }

    @Override
    public void save(Path directory) throws IOException {
        try {
            run(() -> {
                step.save(directory);
                return null;
            });
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /** Copies the state back over the device's link. */
    @Override
    public ModelState snapshot() {
        return compute(step::snapshot, state -> Duration.ofNanos(device.link().nanos(state.bytes())));
    }

    @Override
    public void restore(List<StateChunk> state) {
        run(() -> {
            step.restore(state);
            return null;
        });
    }

    @Override
    public void close() {
        run(() -> {
            try (host) {
                step.close();
            }
            return null;
        });
    }

    private <T extends @Nullable Object> T run(Callable<T> work) {
        return compute(work, done -> Duration.ZERO);
    }

    private <T extends @Nullable Object> T compute(Callable<T> work, Function<T, Duration> lasting) {
        return await(device.compute(work, lasting));
    }

    /** Waits for a result and throws the failure of the work as the device's thread threw it. */
    private static <T extends @Nullable Object> T await(CompletableFuture<T> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException failure) {
                throw failure;
            } else if (cause instanceof Error failure) {
                throw failure;
            }
            throw e;
        }
    }
}
