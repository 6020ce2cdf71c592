package io.millrace.train.update;

/** An optimizer with its constants. Immutable; the state of a training is in {@link UpdateTensors}. */
public interface Optimizer {
    /** Returns the learning rate that the schedule scales. */
    double learningRate();

    /**
     * Returns the number of moments: vectors as long as the weights that the optimizer keeps from one update to the next. They are
     * zero at first, and are part of checkpoints.
     */
    int moments();

    /** Prepares updates of these tensors on the training thread. */
    Update prepare(UpdateTensors tensors);

    /** The update of all weights by their gradients. Belongs to the training thread. */
    @FunctionalInterface
    interface Update extends AutoCloseable {
        /**
         * Changes the weights and the moments in place. Millrace sets the gradients to zero afterwards.
         *
         * @param number the number of this update, from 1 over the whole training
         * @param learningRate the learning rate of this update
         */
        void apply(long number, double learningRate);

        /** Returns whether {@link #apply} sets the gradients to zero itself. */
        default boolean zeroesGradients() {
            return false;
        }

        @Override
        default void close() {}
    }
}
