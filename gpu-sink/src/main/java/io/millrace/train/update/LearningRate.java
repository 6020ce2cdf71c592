package io.millrace.train.update;

/** The learning rate of every update of a run: a pure function. Without accumulation each step is an update. */
@FunctionalInterface
public interface LearningRate {
    /**
     * Returns the rate of an update.
     *
     * @param step the number of the update, from 0 over the whole run
     */
    double at(long step);

    /** Returns a function with the same rate for every update. */
    static LearningRate constant(double rate) {
        return step -> rate;
    }

    /**
     * Returns a function that multiplies the rate by {@code factor} after every {@code everyEpochs} epochs, as {@code
     * torch.optim.lr_scheduler.StepLR} does.
     *
     * @param stepsPerEpoch the number of updates in an epoch, at least 1
     */
    static LearningRate steps(double rate, long stepsPerEpoch, int everyEpochs, double factor) {
        return step -> {
            long reductions = step / stepsPerEpoch / everyEpochs;
            return rate * Math.pow(factor, (double) reductions);
        };
    }

    /**
     * Returns half a cosine from {@code rate} down to 0 over {@code totalSteps}, and 0 afterwards, as {@code
     * torch.optim.lr_scheduler.CosineAnnealingLR} does.
     *
     * @param totalSteps the number of updates, at least 1
     */
    static LearningRate cosine(double rate, long totalSteps) {
        return step -> rate * (1 + Math.cos(Math.PI * Math.min(step, totalSteps) / totalSteps)) / 2;
    }

    /**
     * Returns this function after a linear warm-up. Update s of the first {@code warmUp} has the rate {@code (s + 1) /
     * warmUp} of {@code rate}, as in PyTorch's {@code LinearLR(start_factor=1/warmUp, total_iters=warmUp-1)}.
     */
    default LearningRate afterWarmUp(double rate, long warmUp) {
        return step -> step < warmUp ? rate * (step + 1) / warmUp : at(step);
    }

    /** Returns this function, shifted so that it begins at update {@code steps}. */
    default LearningRate delayed(long steps) {
        return step -> at(Math.max(0, step - steps));
    }
}
