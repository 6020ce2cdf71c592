package io.millrace.train.update;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.EngineScript;
import io.millrace.train.network.FlatState;

/**
 * What is done to all gradients of a network before an update: they are scaled, or clipped by their norm. By the module
 * of {@link FusedOptimizer}, on the device of the gradients, whose work nothing here waits for. Belongs to the trainer's
 * thread.
 */
public final class GradientRules implements AutoCloseable {
    private final EngineScript rules;
    private final PtNDArray[] gradients;

    /** For the gradients of this state. */
    public GradientRules(FlatState state, PtNDManager manager) {
        rules = EngineScript.load(FusedOptimizer.class, FusedOptimizer.MODULE, manager);
        gradients = state.gradients().toArray(PtNDArray[]::new);
    }

    /** Multiplies all gradients. */
    void scale(double factor) {
        rules.call("scale", gradients, factor);
    }

    /**
     * Divides all gradients by the sum of two numbers; where that is 0 they stay.
     *
     * @param counted float64 [], on the gradients' device, from where nothing is read
     */
    void divide(PtNDArray counted, double known) {
        rules.call("divide", gradients, counted, known);
    }

    /**
     * Shortens the gradients to this norm where the norm of all of them together is larger:
     * {@code torch.nn.utils.clip_grad_norm_}.
     */
    void clip(double most) {
        rules.call("clip", gradients, most);
    }

    @Override
    public void close() {
        rules.close();
    }
}
