package io.millrace.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.order.SourceShares;
import io.millrace.rest.StageReading;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.EpochRecord;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The summary of a run: the content of {@code summary.json} and the output of {@code train --json}. Its keys are fixed,
 * because scripts depend on them. Unknown values are null. The nested records group the values in the code only. In
 * JSON, all values are keys of one object.
 *
 * @param name the name of the pipeline
 * @param status the way in which the run ended
 * @param message the reason when the run did not finish; null otherwise
 * @param setup the device, the parallelism and the kernels of the run
 * @param counts the amounts of work that were done
 * @param speed the speed of the run
 * @param wireColumns the wire columns and the bytes that they saved
 * @param result the results of the training
 * @param ranks one entry for each trainer if there are several; absent with a single trainer
 * @param sources the parts of the run that the datasets of a mixture have had; absent without a mixture
 * @param verdict the limit of the throughput; null when it was not determined
 * @param stages the figures of the stages
 * @param versions the versions by name, see {@link Versions#ofRun}; a null version is unknown or not used
 */
public record RunSummary(
        String name,
        Status status,
        @Nullable String message,
        @JsonUnwrapped Setup setup,
        @JsonUnwrapped Counts counts,
        @JsonUnwrapped Speed speed,
        @JsonUnwrapped WireColumns wireColumns,
        @JsonUnwrapped Result result,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Rank> ranks,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<SourceShares.Share> sources,
        @Nullable VerdictSummary verdict,
        List<StageReading> stages,
        Map<String, String> versions) {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    public RunSummary {
        ranks = List.copyOf(ranks);
        sources = List.copyOf(sources);
        stages = List.copyOf(stages);
    }

    /** Returns the summary of the same run with the parts that the datasets of a mixture have had. */
    public RunSummary with(SourceShares shares) {
        return new RunSummary(
                name,
                status,
                message,
                setup,
                counts,
                speed,
                wireColumns,
                result,
                ranks,
                shares.before(counts.steps()),
                verdict,
                stages,
                versions);
    }

    /** The way in which a run ended. */
    public enum Status {
        @JsonProperty("finished")
        FINISHED,
        /** The user stopped the run. The counts cover the work until then. */
        @JsonProperty("interrupted")
        INTERRUPTED,
        @JsonProperty("failed")
        FAILED
    }

    /**
     * The device, the parallelism and the kernels of a run.
     *
     * @param device the device that trained, {@code host} or {@code cuda}; when no trainer reported one, the configured
     *     {@code device.kind}, which may also be {@code auto}. {@code client} for a run that delivers to clients
     * @param parallelism the number of slots of the data stages; null when the job did not learn how many it got
     * @param kernels the kernels that decoded and resized: {@code native (AVX2)}, {@code native (plain C)}, {@code
     *     vector} or {@code scalar}; null when they are unknown
     * @param deviceUse the use of the device; null when it is unknown
     * @param unit the word for the samples in throughputs
     * @param places the places of the transforms for which the pipeline file sets one; absent when it sets none
     */
    public record Setup(
            String device,
            @Nullable Integer parallelism,
            @Nullable String kernels,
            @JsonProperty("device_use") @Nullable DeviceUseSummary deviceUse,
            @JsonIgnore SampleUnit unit,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PlacedTransforms.PlaceDecision> places) {
        /** The device of a run that delivers to clients, which train on devices of their own. */
        public static final String CLIENT = "client";

        public Setup {
            places = List.copyOf(places);
        }

        /** Creates a setup without transform places, before the use of the device is known. */
        public Setup(String device, @Nullable Integer parallelism, @Nullable String kernels) {
            this(device, parallelism, kernels, null, SampleUnit.SAMPLES, List.of());
        }

        /** Returns the setup of a run without any report. The device is the configured one. */
        public static Setup configured(
                PipelineConfig config, SampleUnit unit, @Nullable Integer parallelism, @Nullable String kernels) {
            return new Setup(
                    configuredDevice(config),
                    parallelism,
                    kernels,
                    null,
                    unit,
                    config.device().placed().decisions());
        }

        /** Returns the mean number of tokens of a sample that is a packed sequence; null for other samples. */
        @JsonProperty("tokens_per_sample")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        public @Nullable Double tokensPerSample() {
            return unit.tokens() > 0 ? unit.tokens() : null;
        }

        /** Returns the setup of the same run, whose batches go to clients. */
        public Setup ofClients() {
            return new Setup(CLIENT, parallelism, kernels, deviceUse, unit, places);
        }

        /** Returns whether the batches go to clients. */
        public boolean belongsToClients() {
            return device.equals(CLIENT);
        }

        /** Returns the configured {@code device.kind} in the spelling of pipeline files. */
        static String configuredDevice(PipelineConfig config) {
            return config.device().kind().name().toLowerCase(Locale.ROOT);
        }

        /**
         * Returns this setup with the device that the trainers report. The setup is unchanged when no trainer reports a
         * device.
         */
        public Setup with(@Nullable DeviceFigures figures) {
            return figures == null
                    ? this
                    : new Setup(figures.kind(), parallelism, kernels, DeviceUseSummary.of(figures), unit, places);
        }
    }

    /**
     * The amounts of work that were done.
     *
     * @param epochs the finished epochs
     * @param steps the training steps
     * @param samples the number of samples trained on, where a sample counts once in each epoch
     * @param quarantined the number of distinct bad samples
     * @param quarantinedRows the number of rows that were missing in batches, where a bad sample counts once in each
     *     epoch
     * @param restarts the number of restarts of the job from its latest checkpoint
     * @param checkpoints the cost of the checkpoints; null when it is unknown
     */
    public record Counts(
            int epochs,
            long steps,
            long samples,
            long quarantined,
            long quarantinedRows,
            @Nullable Integer restarts,
            @Nullable Checkpoints checkpoints) {}

    /**
     * The checkpoints of the trainer, including the checkpoints before a restart.
     *
     * @param count the number of checkpoints that were begun
     * @param bytes the size of the trainer's state in the latest checkpoint
     * @param drainMillis the sum over all checkpoints of the time from the barrier until all full batches were trained
     *     on; the trainer works during this time
     * @param copyMillis the sum over all checkpoints of the time in which the state was copied in memory; the trainer
     *     waits during this time
     */
    public record Checkpoints(
            long count,
            long bytes,
            @JsonProperty("drain_ms") double drainMillis,
            @JsonProperty("copy_ms") double copyMillis) {}

    /**
     * The speed of the run.
     *
     * @param wallSeconds the time from the start of the program to the end of training
     * @param firstStepSeconds the time from the start of the program to the end of the first step
     * @param imagesPerSecond the throughput of the whole run
     * @param steadyImagesPerSecond the throughput without start and warm-up
     * @param epochSeconds the wall time of each epoch
     * @param starvation the share of the trainer's time spent waiting for data, 0 to 1
     * @param evaluationSeconds the trainer's time for evaluation batches, which is not part of the training time
     * @param bytesPerSample the bytes that reached the trainer for each sample
     */
    public record Speed(
            @JsonProperty("wall_s") double wallSeconds,
            @JsonProperty("first_step_s") @Nullable Double firstStepSeconds,
            @JsonProperty("images_per_s") @Nullable Double imagesPerSecond,
            @JsonProperty("steady_images_per_s") @Nullable Double steadyImagesPerSecond,
            @JsonProperty("epoch_s") List<Double> epochSeconds,
            @Nullable Double starvation,
            @JsonProperty("evaluation_s") @Nullable Double evaluationSeconds,
            @Nullable Long bytesPerSample) {
        public Speed {
            epochSeconds = List.copyOf(epochSeconds);
            firstStepSeconds = finite(firstStepSeconds);
            imagesPerSecond = finite(imagesPerSecond);
            steadyImagesPerSecond = finite(steadyImagesPerSecond);
            starvation = finite(starvation);
        }
    }

    /**
     * The fields that crossed the network to the trainers, with their sizes.
     *
     * @param wire the fields, in order
     * @param savedBytesPerSample the number of bytes by which a sample was smaller than in the types that training
     *     uses; null when it is unknown for a field
     * @param savedBytes the number of saved bytes over all samples; null when it is unknown
     */
    public record WireColumns(
            List<Wire> wire,
            @Nullable Double savedBytesPerSample,
            @Nullable Long savedBytes) {
        public WireColumns {
            wire = List.copyOf(wire);
        }
    }

    /**
     * The form in which a field crossed the network.
     *
     * @param field the name of the field
     * @param type the type, for example "uint8", "bits", "ragged uint8" or "sparse float32"
     * @param bytesPerSample the mean size; null when it is unknown, for example for ragged rows when no row has arrived
     * @param savedBytesPerSample the number of bytes by which the field was smaller than in the type that training
     *     uses; negative when it was larger
     * @param why the reason for this form
     */
    public record Wire(
            String field,
            String type,
            @Nullable Double bytesPerSample,
            @Nullable Double savedBytesPerSample,
            String why) {}

    /**
     * The results of the training.
     *
     * @param finalLoss the loss of the latest evaluation, or of the last epoch without an evaluation; null also when it is NaN
     * @param finalAccuracy the accuracy of the latest evaluation, 0 to 1
     * @param parametersSha256 the hash of the parameters; null also when several trainers ended with different parameters
     * @param epochResults the epochs that have ended, also in earlier runs that this run continues; at most the last 1,000
     */
    public record Result(
            @Nullable Double finalLoss,
            @Nullable Double finalAccuracy,
            @Nullable String parametersSha256,
            List<EpochRecord> epochResults) {
        public Result {
            finalLoss = finite(finalLoss);
            finalAccuracy = finite(finalAccuracy);
            epochResults = List.copyOf(epochResults);
        }
    }

    /**
     * One of several trainers. Its values have the same meaning as the values of the run with the same names.
     *
     * @param rank the number of the trainer, from 0
     */
    public record Rank(
            int rank,
            long steps,
            long samples,
            @Nullable Double finalLoss,
            @Nullable Double finalAccuracy,
            @Nullable Double starvation,
            @Nullable String parametersSha256) {
        public Rank {
            finalLoss = finite(finalLoss);
            finalAccuracy = finite(finalAccuracy);
            starvation = finite(starvation);
        }
    }

    /** Returns the summary as one line of JSON. */
    public String toJson() {
        return write(MAPPER.writer());
    }

    /** Returns the summary as indented JSON. */
    public String toIndentedJson() {
        return write(MAPPER.writerWithDefaultPrettyPrinter()) + "\n";
    }

    private String write(ObjectWriter writer) {
        try {
            return writer.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the summary cannot be written as JSON", e);
        }
    }

    /** Returns null for infinite values and NaN, which JSON cannot express. */
    static @Nullable Double finite(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? null : value;
    }
}
