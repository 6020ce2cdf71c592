package io.millrace.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.rest.StageReading;
import io.millrace.sink.DeviceFigures;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run did: {@code summary.json} and the result of {@code train --json}. The names in it are fixed, as scripts rely
 * on them; null is unknown. The nested records are groups in the code only: in JSON all their values lie side by side.
 *
 * @param name the pipeline's
 * @param message why the run did not finish; null when it did
 * @param ranks of several trainers each; with one absent
 * @param verdict what limits the speed, where that was found out
 * @param versions by the name of the part, as {@link Versions#ofRun}; null is unknown, or not used
 */
public record RunSummary(
        String name,
        Status status,
        @Nullable String message,
        @JsonUnwrapped Setup setup,
        @JsonUnwrapped Counts counts,
        @JsonUnwrapped Speed speed,
        @JsonUnwrapped Sent sent,
        @JsonUnwrapped Result result,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Rank> ranks,
        @Nullable Verdict verdict,
        List<StageReading> stages,
        Map<String, String> versions) {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();
    private static final ObjectWriter INDENTED = MAPPER.writer().with(SerializationFeature.INDENT_OUTPUT);

    public RunSummary {
        ranks = List.copyOf(ranks);
        stages = List.copyOf(stages);
    }

    /** How the run ended. */
    public enum Status {
        @JsonProperty("finished")
        FINISHED,
        /** Stopped by the user; what is counted was done. */
        @JsonProperty("interrupted")
        INTERRUPTED,
        @JsonProperty("failed")
        FAILED
    }

    /**
     * What the run ran on.
     *
     * @param device the device that trained, {@code host} or {@code cuda}; when no trainer reported one, the configured
     *     {@code device.kind}, which may also be {@code auto}
     * @param kernels what decoded and resized: {@code native (AVX2)}, {@code native (plain C)}, {@code vector} or {@code
     *     scalar}; null when that is not known
     * @param deviceUse what the device was kept busy with; null when that is not known
     * @param places where each transform was done of whose place the pipeline file says something; absent where it does not
     */
    public record Setup(
            String device,
            int parallelism,
            @Nullable String kernels,
            @JsonProperty("device_use") @Nullable DeviceUseSummary deviceUse,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PlacedTransforms.Told> places) {
        /** Keeps a copy. */
        public Setup {
            places = List.copyOf(places);
        }

        /** Creates a setup without transform places, before the use of the device is known. */
        public Setup(String device, int parallelism, @Nullable String kernels) {
            this(device, parallelism, kernels, null, List.of());
        }

        /** Returns the setup of a run that nobody has reported on yet: the device is the one that the run was configured for. */
        public static Setup configured(PipelineConfig config, int parallelism, @Nullable String kernels) {
            return new Setup(
                    configuredDevice(config),
                    parallelism,
                    kernels,
                    null,
                    config.device().placed().told());
        }

        /** Returns the configured {@code device.kind}, as pipeline files spell it. */
        static String configuredDevice(PipelineConfig config) {
            return config.device().kind().name().toLowerCase(Locale.ROOT);
        }

        /** Returns this setup with the device as the trainers report it; unchanged when none did. */
        Setup with(@Nullable DeviceFigures figures) {
            return figures == null
                    ? this
                    : new Setup(figures.kind(), parallelism, kernels, DeviceUseSummary.of(figures), places);
        }
    }

    /**
     * What was done.
     *
     * @param epochs finished
     * @param samples trained on, counted once per epoch
     * @param quarantined distinct bad samples
     * @param quarantinedRows rows that batches lacked, counted once per epoch
     * @param restarts how often the job was begun again from its last checkpoint
     * @param checkpoints what they cost; null when that is not known
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
     * The checkpoints of the trainer, those before a restart included.
     *
     * @param count begun
     * @param bytes of the trainer's state in the latest
     * @param drainMillis in all, from the barrier until what was whole had been trained on: the trainer worked
     * @param copyMillis in all, copying the state in memory: the trainer waited
     */
    public record Checkpoints(
            long count,
            long bytes,
            @JsonProperty("drain_ms") double drainMillis,
            @JsonProperty("copy_ms") double copyMillis) {}

    /**
     * How fast it went.
     *
     * @param wallSeconds from the start of the program to the end of training
     * @param firstStepSeconds from the start of the program to the end of the first step
     * @param imagesPerSecond over the whole run
     * @param steadyImagesPerSecond without start and warm-up
     * @param epochSeconds the wall time of each epoch
     * @param starvation share of the trainer's time spent waiting for data, 0 to 1
     * @param bytesPerSample what reached the trainer for each sample
     */
    public record Speed(
            @JsonProperty("wall_s") double wallSeconds,
            @JsonProperty("first_step_s") @Nullable Double firstStepSeconds,
            @JsonProperty("images_per_s") @Nullable Double imagesPerSecond,
            @JsonProperty("steady_images_per_s") @Nullable Double steadyImagesPerSecond,
            @JsonProperty("epoch_s") List<Double> epochSeconds,
            @Nullable Double starvation,
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
     * What travelled to the trainers.
     *
     * @param wire the fields, in order
     * @param savedBytesPerSample how many bytes more a sample would have had in the types in which training takes its
     *     fields; null when that of one is not known
     * @param savedBytes the same over all samples
     */
    public record Sent(
            List<Wire> wire,
            @Nullable Double savedBytesPerSample,
            @Nullable Long savedBytes) {
        public Sent {
            wire = List.copyOf(wire);
        }
    }

    /**
     * How a field travelled.
     *
     * @param type "uint8", "bits", "ragged uint8", "sparse float32"
     * @param bytesPerSample of it, the mean; null when it is not known, as of ragged rows before any arrived
     * @param savedBytesPerSample how many more it would have been in the type in which training takes it, below 0 for fewer
     * @param why it was sent so
     */
    public record Wire(
            String field,
            String type,
            @Nullable Double bytesPerSample,
            @Nullable Double savedBytesPerSample,
            String why) {}

    /**
     * What was learned.
     *
     * @param finalLoss of the latest evaluation, or of the last steps where there is none; null also when it is no number
     * @param finalAccuracy of the latest evaluation, 0 to 1
     * @param parametersSha256 null also when several trainers ended with different ones
     */
    public record Result(
            @Nullable Double finalLoss,
            @Nullable Double finalAccuracy,
            @Nullable String parametersSha256) {
        public Result {
            finalLoss = finite(finalLoss);
            finalAccuracy = finite(finalAccuracy);
        }
    }

    /**
     * One of several trainers; the values mean what the run's of these names do.
     *
     * @param rank its number, from 0
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

    /**
     * What limits the speed and what would come next.
     *
     * @param limit the stage or resource that limits now
     * @param kind of limit: slots, cores, trainer, training, link, storage, network, straggler or samples
     * @param imagesPerSecond what was reached with it
     * @param fixedImagesPerSecond what would be reached without it; null where nothing can be removed
     * @param next what limits once that is fixed
     * @param ceilingImagesPerSecond what training alone could take
     * @param confidence high, medium, low or unknown
     * @param reason for the confidence
     * @param line all of it for people
     * @param contradictions between Flink's figures and ours
     */
    public record Verdict(
            @Nullable String limit,
            @Nullable String kind,
            @JsonProperty("images_per_s") @Nullable Double imagesPerSecond,
            @JsonProperty("fixed_images_per_s") @Nullable Double fixedImagesPerSecond,
            @Nullable String next,
            @JsonProperty("ceiling_images_per_s") @Nullable Double ceilingImagesPerSecond,
            String confidence,
            String reason,
            String line,
            List<String> contradictions) {
        public Verdict {
            imagesPerSecond = finite(imagesPerSecond);
            fixedImagesPerSecond = finite(fixedImagesPerSecond);
            ceilingImagesPerSecond = finite(ceilingImagesPerSecond);
            contradictions = List.copyOf(contradictions);
        }
    }

    /** The summary as one line of JSON. */
    public String toJson() {
        return write(MAPPER.writer());
    }

    /** The summary as JSON for people to read. */
    public String toIndentedJson() {
        return write(INDENTED) + "\n";
    }

    private String write(ObjectWriter writer) {
        try {
            return writer.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the summary cannot be written as JSON", e);
        }
    }

    /** JSON has no word for infinite and undefined. */
    private static @Nullable Double finite(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? null : value;
    }
}
