package io.millrace.pipeline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.PipelineConfig;
import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.api.common.ExecutionConfig.GlobalJobParameters;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The description of a job on a cluster. It is visible in the web UI under Configuration, and over REST. It holds the
 * whole pipeline, so that the job can be built again, but no secrets.
 *
 * @param pipeline the pipeline file as JSON, with secrets masked
 * @param folder the folder of the run
 * @param summary the file into which the job itself writes its summary; empty when its client writes the summary
 * @param stages the parallelism by stage on the data servers
 * @param need the slots and devices that the job needs
 * @param unit the word for the samples in throughputs
 * @param packs the fill of the packs, if the samples are packs of documents; empty for others, and for a job of another version
 * @param consumer the owner of the training loop that consumes the batches
 */
public record JobDescription(
        String pipeline,
        String folder,
        Optional<String> summary,
        Map<String, Integer> stages,
        SlotRequirement need,
        SampleUnit unit,
        Optional<PackFill> packs,
        Consumer consumer) {
    /** The owner of the training loop that consumes a job's batches. */
    public enum Consumer {
        /** The job trains. */
        TRAINERS,
        /** The job delivers the batches to clients, which know their place in the run. */
        CLIENTS
    }

    private static final String PIPELINE = "millrace.pipeline";
    private static final String FOLDER = "millrace.run";
    private static final String SUMMARY = "millrace.summary";
    private static final String STAGES = "millrace.stages";
    private static final String SLOTS = "millrace.slots";
    private static final String DEVICES = "millrace.devices";
    private static final String UNIT = "millrace.unit";
    private static final String PACKS = "millrace.packs";
    private static final String CONSUMER = "millrace.consumer";

    private static final Logger LOG = LoggerFactory.getLogger(JobDescription.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    public JobDescription {
        stages = Collections.unmodifiableMap(new LinkedHashMap<>(stages));
    }

    /** Returns the description of a job that runs a pipeline. */
    public static JobDescription of(
            PipelineConfig config,
            String folder,
            Optional<String> summary,
            SampleUnit unit,
            Optional<PackFill> packs,
            Consumer consumer) {
        try {
            return new JobDescription(
                    JSON.writeValueAsString(config.toMap()),
                    folder,
                    summary,
                    Pipeline.stages(config),
                    SlotRequirement.of(config),
                    unit,
                    packs,
                    consumer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pipeline's keys and values are plain", e);
        }
    }

    /** Reads the description of a job. Returns empty when it is not a Millrace job. */
    public static Optional<JobDescription> read(Map<String, String> parameters) {
        String pipeline = parameters.get(PIPELINE);
        String folder = parameters.get(FOLDER);
        if (pipeline == null || folder == null) {
            return Optional.empty();
        }
        return Optional.of(new JobDescription(
                pipeline,
                folder,
                Optional.ofNullable(parameters.get(SUMMARY)),
                numbers(parameters.getOrDefault(STAGES, "")),
                new SlotRequirement(
                        Integer.parseInt(parameters.getOrDefault(SLOTS, "1")),
                        numbers(parameters.getOrDefault(DEVICES, ""))),
                SampleUnit.parse(parameters.getOrDefault(UNIT, SampleUnit.SAMPLES.text())),
                packs(parameters.get(PACKS)),
                Consumer.valueOf(parameters.getOrDefault(CONSUMER, Consumer.TRAINERS.name()))));
    }

    private static Optional<PackFill> packs(@Nullable String json) {
        try {
            return json == null ? Optional.empty() : Optional.of(JSON.readValue(json, PackFill.class));
        } catch (JsonProcessingException e) {
            LOG.warn("the fill of the packs is unknown, because a job of another version describes it: {}", json, e);
            return Optional.empty();
        }
    }

    private static String packsJson(PackFill fill) {
        try {
            return JSON.writeValueAsString(fill);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the fill of packs has plain values", e);
        }
    }

    private static Map<String, Integer> numbers(String text) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        for (String entry : text.split(" ", -1)) {
            int equals = entry.lastIndexOf('=');
            if (equals > 0) {
                numbers.put(entry.substring(0, equals), Integer.parseInt(entry.substring(equals + 1)));
            }
        }
        return numbers;
    }

    private static String text(Map<String, Integer> numbers) {
        return numbers.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /** Returns the description as Flink's job parameters. */
    Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put(PIPELINE, pipeline);
        parameters.put(FOLDER, folder);
        summary.ifPresent(path -> parameters.put(SUMMARY, path));
        parameters.put(STAGES, text(stages));
        parameters.put(SLOTS, String.valueOf(need.slots()));
        parameters.put(DEVICES, text(need.devices()));
        parameters.put(UNIT, unit.text());
        packs.ifPresent(fill -> parameters.put(PACKS, packsJson(fill)));
        parameters.put(CONSUMER, consumer.name());
        return parameters;
    }

    /** Attaches the description to a job before it is submitted. */
    public void attachTo(StreamGraph graph) {
        graph.getExecutionConfig().setGlobalJobParameters(new Parameters(parameters()));
    }

    /** The parameters in the type that Flink requires. */
    private static final class Parameters extends GlobalJobParameters {
        private static final long serialVersionUID = 1;

        @SuppressWarnings("serial") // a LinkedHashMap
        private final Map<String, String> values;

        Parameters(Map<String, String> values) {
            this.values = values;
        }

        @Override
        public Map<String, String> toMap() {
            return values;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Parameters parameters && values.equals(parameters.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }
    }
}
