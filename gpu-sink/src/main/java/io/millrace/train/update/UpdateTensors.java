package io.millrace.train.update;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDResource;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.train.engine.TrainingMemory;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tensors that an {@link Optimizer} updates: weights, gradients and moments, each as float32 vectors in the same order. One
 * vector usually holds the values of all parameters. Gaps between parameters hold zeros, and must stay zero.
 *
 * <p>The results of operations on these tensors are freed after the update.
 */
public final class UpdateTensors {
    private final List<PtNDArray> weights;
    private final List<PtNDArray> gradients;
    private final List<List<PtNDArray>> moments;
    private final TrainingMemory memory;

    UpdateTensors(
            List<PtNDArray> weights, List<PtNDArray> gradients, List<List<PtNDArray>> moments, TrainingMemory memory) {
        this.weights = List.copyOf(weights);
        this.gradients = List.copyOf(gradients);
        this.moments = List.copyOf(moments);
        this.memory = memory;
    }

    /** Returns the weights. */
    public List<NDArray> weights() {
        return List.copyOf(weights);
    }

    /** Returns the gradients: the mean over all rows of the update, clipped if that is configured. */
    public List<NDArray> gradients() {
        return List.copyOf(gradients);
    }

    /**
     * Returns a moment.
     *
     * @param number from 0 to below {@link Optimizer#moments}
     */
    public List<NDArray> moment(int number) {
        return List.copyOf(moments.get(number));
    }

    /** Returns the weights for the engine's kernels. */
    List<PtNDArray> engineWeights() {
        return weights;
    }

    /** Returns the gradients for the engine's kernels. */
    List<PtNDArray> engineGradients() {
        return gradients;
    }

    /** Returns all moments for the engine's kernels. */
    List<List<PtNDArray>> engineMoments() {
        return moments;
    }

    /** Returns the memory in which the tensors lie. */
    TrainingMemory memory() {
        return memory;
    }

    /** Runs operations on these tensors and frees their results. */
    void run(Runnable operations) {
        try (PtNDManager update =
                memory.manager().newSubManager(memory.manager().getDevice())) {
            update.tempAttachAll(Stream.of(List.of(weights, gradients), moments)
                    .flatMap(List::stream)
                    .flatMap(List::stream)
                    .toArray(NDResource[]::new));
            operations.run();
        }
    }
}
