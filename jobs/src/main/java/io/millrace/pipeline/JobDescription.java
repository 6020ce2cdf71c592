package io.millrace.pipeline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.PipelineConfig;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.api.common.ExecutionConfig.GlobalJobParameters;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * What a job on a cluster says of itself, for whoever finds it there: in the web UI under Configuration, and over REST.
 * It holds the whole pipeline, so that the job can be built again, but no secret.
 *
 * @param pipeline as JSON, in the words of a pipeline file, with secrets masked
 * @param folder the run's
 * @param summary the file that the job itself writes its summary to; empty: its client does
 * @param stages those on the data servers, with their parallelism
 * @param need what it takes of a cluster
 */
public record JobDescription(
        String pipeline, String folder, Optional<String> summary, Map<String, Integer> stages, SlotRequirement need) {
    private static final String PIPELINE = "millrace.pipeline";
    private static final String FOLDER = "millrace.run";
    private static final String SUMMARY = "millrace.summary";
    private static final String STAGES = "millrace.stages";
    private static final String SLOTS = "millrace.slots";
    private static final String DEVICES = "millrace.devices";

    private static final ObjectMapper JSON = new ObjectMapper();

    public JobDescription {
        stages = Collections.unmodifiableMap(new LinkedHashMap<>(stages));
    }

    /** The card of a job that runs this pipeline. */
    public static JobDescription of(PipelineConfig config, String folder, Optional<String> summary) {
        try {
            return new JobDescription(
                    JSON.writeValueAsString(config.toMap()),
                    folder,
                    summary,
                    Pipeline.stages(config),
                    SlotRequirement.of(config));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pipeline's keys and values are plain", e);
        }
    }

    /** Reads the card of a job; empty when it is not one of ours. */
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
                        numbers(parameters.getOrDefault(DEVICES, "")))));
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

    /** The card as Flink carries it. */
    Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put(PIPELINE, pipeline);
        parameters.put(FOLDER, folder);
        summary.ifPresent(path -> parameters.put(SUMMARY, path));
        parameters.put(STAGES, text(stages));
        parameters.put(SLOTS, String.valueOf(need.slots()));
        parameters.put(DEVICES, text(need.devices()));
        return parameters;
    }

    /** Gives a job its card, before it is submitted. */
    public void attachTo(StreamGraph graph) {
        graph.getExecutionConfig().setGlobalJobParameters(new Parameters(parameters()));
    }

    /** What Flink takes parameters as. */
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
