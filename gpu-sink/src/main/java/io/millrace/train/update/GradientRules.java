package io.millrace.train.update;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.EngineScript;
import io.millrace.train.network.FlatState;

/**
 * Operations on all gradients of a network before an update: they are scaled, or clipped by their norm. The module of
 * {@link FusedOptimizer} computes them on the gradients' device, and no method waits for it. Belongs to the trainer's
 * thread.
 */
public final class GradientRules implements AutoCloseable {
    private final EngineScript rules;
    private final PtNDArray[] gradients;

    /** Prepares the operations for the gradients of this state. */
    public GradientRules(FlatState state, PtNDManager manager) {
        rules = EngineScript.load(FusedOptimizer.class, FusedOptimizer.MODULE, manager);
        gradients = state.gradients().toArray(PtNDArray[]::new);
    }

    /** Multiplies all gradients by a factor. */
    void scale(double factor) {
        rules.call("scale", gradients, factor);
    }

    /**
     * Divides all gradients by {@code counted + known}. If this sum is 0, the gradients stay as they are.
     *
     * @param counted float64 [], on the gradients' device; the host does not read it
     */
    void divide(PtNDArray counted, double known) {
        rules.call("divide", gradients, counted, known);
    }

    /**
     * Scales the gradients down so that their common norm is at most {@code most}, as {@code
     * torch.nn.utils.clip_grad_norm_} does.
     */
    void clip(double most) {
        rules.call("clip", gradients, most);
    }

    @Override
    public void close() {
        rules.close();
    }
}
