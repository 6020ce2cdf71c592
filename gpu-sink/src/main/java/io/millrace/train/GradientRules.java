package io.millrace.train;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.IValueUtils;

/**
 * What is done to all gradients of a network before an update: they are scaled, or clipped by their norm. By the module
 * of {@link UpdateRule}, on the device of the gradients, whose work nothing here waits for. Belongs to the trainer's
 * thread.
 */
final class GradientRules implements AutoCloseable {
    private final PtSymbolBlock module;
    private final IValue gradients;

    /** For the gradients of this state; arrays are made in {@code manager}. */
    GradientRules(FlatState state, PtNDManager manager) {
        this.module = UpdateRule.load(manager);
        this.gradients = IValue.listFrom(state.gradients().toArray(PtNDArray[]::new));
    }

    /** Multiplies all gradients. */
    void scale(double factor) {
        try (IValue by = IValue.from(factor)) {
            IValueUtils.runMethod(module, "scale", gradients, by).close();
        }
    }

    /**
     * Shortens the gradients to this norm where the norm of all of them together is larger:
     * {@code torch.nn.utils.clip_grad_norm_}.
     */
    void clip(double most) {
        try (IValue norm = IValue.from(most)) {
            IValueUtils.runMethod(module, "clip", gradients, norm).close();
        }
    }

    @Override
    public void close() {
        gradients.close();
        module.close();
    }
}
