package io.millrace.train.spec;

import io.millrace.batch.BatchSpec;
import io.millrace.option.OptionValues;
import io.millrace.train.update.UpdatePlan;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * @param tuning how the engine works; without effect on what is computed but for rounding
 * @param updates when the parameters follow their gradients, and how far at most
 * @param rowStages what is done on the device before {@code deviceTransforms}
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
        Tuning tuning,
        Updates updates,
        RowStages rowStages)
        implements Serializable {
    public TrainSpec {
        deviceTransforms = List.copyOf(deviceTransforms);
    }

    /** Where all transforms for samples are done on the data servers. */
    public TrainSpec(
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
            Tuning tuning,
            Updates updates) {
        this(
                input,
                roles,
                deviceTransforms,
                model,
                loss,
                optimizer,
                schedule,
                stepsPerEpoch,
                epochs,
                seed,
                tuning,
                updates,
                RowStages.NONE);
    }

    /** With an update for each batch. */
    public TrainSpec(
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
            Tuning tuning) {
        this(
                input,
                roles,
                deviceTransforms,
                model,
                loss,
                optimizer,
                schedule,
                stepsPerEpoch,
                epochs,
                seed,
                tuning,
                Updates.OF_EACH_BATCH);
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
                tuning,
                updates,
                rowStages);
    }

    /** The same with these on the device before all else. */
    public TrainSpec with(RowStages stages) {
        return new TrainSpec(
                input,
                roles,
                deviceTransforms,
                model,
                loss,
                optimizer,
                schedule,
                stepsPerEpoch,
                epochs,
                seed,
                tuning,
                updates,
                stages);
    }

    /** The same with other updates. */
    public TrainSpec updating(Updates other) {
        return new TrainSpec(
                input,
                roles,
                deviceTransforms,
                model,
                loss,
                optimizer,
                schedule,
                stepsPerEpoch,
                epochs,
                seed,
                tuning,
                other,
                rowStages);
    }

    /** The order of an image's values in the device's memory, by PyTorch's names. */
    public enum MemoryFormat {
        /** The order in which the data servers send images. Convolutions are faster. */
        CHANNELS_LAST,
        /** One plane for each channel. Costs a copy of each batch. */
        CONTIGUOUS
    }

    /** The numbers in which layers compute. Parameters, gradients, moments and losses are float32 in all of them. */
    public enum Precision {
        /** Layers compute in float32. */
        FLOAT32,
        /**
         * PyTorch's autocast: matrix products and convolutions read bfloat16, which has 8 significant bits, and sum in
         * higher precision. Operations that need more precision stay in float32.
         */
        BFLOAT16,
        /** For CUDA only: matrix products and convolutions round their inputs to 11 significant bits. */
        TF32
    }

    /** The choice among several kernels of a GPU. Kernels on the host are always reproducible. */
    public enum Kernels {
        /** The kernels that CUDA's libraries consider fastest. Some of them sum in an order that differs from run to run. */
        FASTEST,
        /** The kernels that give the same result each time, where there are such kernels. */
        REPRODUCIBLE
    }

    /**
     * The settings of the engine.
     *
     * @param threads the number of intra-operation threads, or 0 for the default, see {@code TrainingRuntime.threads}
     */
    public record Tuning(int threads, MemoryFormat memoryFormat, Precision precision, Kernels kernels)
            implements Serializable {
        /** The defaults. */
        public static final Tuning DEFAULT = new Tuning(0, MemoryFormat.CHANNELS_LAST);

        /** In float32, by the fastest kernels. */
        public Tuning(int threads, MemoryFormat memoryFormat) {
            this(threads, memoryFormat, Precision.FLOAT32, Kernels.FASTEST);
        }

        /** The defaults but for the threads. */
        public static Tuning ofThreads(int threads) {
            return new Tuning(threads, MemoryFormat.CHANNELS_LAST);
        }

        /** The same in another precision. */
        public Tuning in(Precision other) {
            return new Tuning(threads, memoryFormat, other, kernels);
        }
    }

    /**
     * The rule by which parameters are updated.
     *
     * @param accumulate the number of batches whose gradients make one update, at least 1
     * @param clipNorm the largest norm of the gradients, above 0: longer gradients are shortened to it; null for no limit
     */
    public record Updates(int accumulate, @Nullable Double clipNorm) implements Serializable {
        /** Each batch is an update, by its whole gradient. */
        public static final Updates OF_EACH_BATCH = new Updates(1, null);

        public Updates {
            if (accumulate < 1) {
                throw new IllegalArgumentException("an update needs at least 1 batch, found accumulate " + accumulate);
            }
            if (clipNorm != null && !(clipNorm > 0)) {
                throw new IllegalArgumentException("expected a clip_norm above 0, found " + clipNorm);
            }
        }
    }

    /** One named choice with its options, as {@code model: {mlp: {hidden: [128]}}}. */
    public record Part(String name, OptionValues options) implements Serializable {}
}
