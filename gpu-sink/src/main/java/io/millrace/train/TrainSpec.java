package io.millrace.train;

import io.millrace.batch.BatchSpec;
import io.millrace.option.OptionValues;
import java.io.Serializable;
import java.util.List;

/**
 * What to train and how. Travels to the training task.
 *
 * @param input what a batch holds
 * @param roles which of it the model gets, and what its outputs are compared with
 * @param deviceTransforms applied in order
 * @param schedule the learning rate over the steps
 * @param stepsPerEpoch for schedules counted in epochs
 * @param epochs how many, for schedules that end with the run
 * @param seed for the initial parameters
 * @param tuning how the engine works; without effect on what is computed but for the last bits
 */
public record TrainSpec(
        BatchSpec input,
        Roles roles,
        List<Part> deviceTransforms,
        Part model,
        Part loss,
        Part optimizer,
        Part schedule,
        long stepsPerEpoch,
        int epochs,
        long seed,
        Tuning tuning)
        implements Serializable {
    public TrainSpec {
        deviceTransforms = List.copyOf(deviceTransforms);
    }

    /** The same for images and their labels. */
    public TrainSpec(
            BatchSpec input,
            List<Part> deviceTransforms,
            Part model,
            Part loss,
            Part optimizer,
            Part schedule,
            long stepsPerEpoch,
            int epochs,
            long seed,
            Tuning tuning) {
        this(
                input,
                Roles.DEFAULT,
                deviceTransforms,
                model,
                loss,
                optimizer,
                schedule,
                stepsPerEpoch,
                epochs,
                seed,
                tuning);
    }

    /** The same on the same batches, with another model and another way to it. */
    public TrainSpec as(Part otherModel, Part otherOptimizer, Part otherSchedule, long otherSeed) {
        return new TrainSpec(
                input,
                roles,
                deviceTransforms,
                otherModel,
                loss,
                otherOptimizer,
                otherSchedule,
                stepsPerEpoch,
                epochs,
                otherSeed,
                tuning);
    }

    /** How images lie in the device's memory, by PyTorch's names. */
    public enum MemoryFormat {
        /** As they come from the data servers: convolutions are faster. */
        CHANNELS_LAST,
        /** A plane for each channel: costs a copy of each batch. */
        CONTIGUOUS
    }

    /**
     * How the engine works.
     *
     * @param threads intra-operation threads, 0 for the default rule
     */
    public record Tuning(int threads, MemoryFormat memoryFormat) implements Serializable {
        /** The defaults. */
        public static final Tuning DEFAULT = new Tuning(0, MemoryFormat.CHANNELS_LAST);

        /** The defaults but for the threads. */
        public static Tuning ofThreads(int threads) {
            return new Tuning(threads, MemoryFormat.CHANNELS_LAST);
        }
    }

    /** One named choice with its options, as {@code model: {mlp: {hidden: [128]}}}. */
    public record Part(String name, OptionValues options) implements Serializable {}
}
