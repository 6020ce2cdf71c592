package io.millrace.train.update;

/** The learning rate of every update of a run, which is a step where each batch is one: a pure function. */
@FunctionalInterface
public interface LearningRate {
    /**
     * The rate of a step.
     *
     * @param step the number of the training step, from 0 over the whole run
     */
    double at(long step);

    /** The same rate in every step. */
    static LearningRate constant(double rate) {
        return step -> rate;
    }

    /**
     * Multiplied by {@code factor} after every {@code everyEpochs} epochs: {@code torch.optim.lr_scheduler.StepLR}.
     *
     * @param stepsPerEpoch at least 1
     */
    static LearningRate steps(double rate, long stepsPerEpoch, int everyEpochs, double factor) {
        return step -> {
            long reductions = step / stepsPerEpoch / everyEpochs;
            return rate * Math.pow(factor, (double) reductions);
        };
    }

    /**
     * Half a cosine from {@code rate} down to 0 over {@code totalSteps}:
     * {@code torch.optim.lr_scheduler.CosineAnnealingLR}; 0 afterwards.
     *
     * @param totalSteps at least 1
     */
    static LearningRate cosine(double rate, long totalSteps) {
        return step -> rate * (1 + Math.cos(Math.PI * Math.min(step, totalSteps) / totalSteps)) / 2;
    }

    /**
     * This rate after a linear warm-up: step s of the first {@code warmUp} has (s + 1) / warmUp of {@code rate},
     * PyTorch's {@code LinearLR(start_factor=1/warmUp, total_iters=warmUp-1)}; afterwards this function applies.
     */
    default LearningRate afterWarmUp(double rate, long warmUp) {
        return step -> step < warmUp ? rate * (step + 1) / warmUp : at(step);
    }

    /** This rate, counted from {@code steps} on. */
    default LearningRate delayed(long steps) {
        return step -> at(Math.max(0, step - steps));
    }
}
