package io.millrace.resume;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.option.Identity;
import io.millrace.order.Tail;
import io.millrace.pipeline.JobDescription.Consumer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The pipeline of a run as it was run, in {@value #NAME} of the run's folder: with all settings, absolute paths, and without secrets. The
 * file is a pipeline file. A run that continues another one has a folder of its own, whose file also holds the earlier phases of a
 * mixture, because the past of a run does not change.
 */
public final class RecordedPipeline {
    /** The file's name. */
    public static final String NAME = "pipeline.json";

    private static final ObjectMapper JSON = new ObjectMapper();

    private RecordedPipeline() {}

    /** Returns the content of the file. */
    public static byte[] content(PipelineConfig config) {
        try {
            return (JSON.writerWithDefaultPrettyPrinter()
                                    .writeValueAsString(config.absolute().toMap())
                            + "\n")
                    .getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pipeline's keys and values are plain", e);
        }
    }

    /**
     * Reads the pipeline of the run in a folder.
     *
     * @param settings settings that override those of the file, each as {@code key=value}: other places of the same data, and secrets
     * @throws IOException when the folder has no such file, or the settings change the samples of the run; the message is a sentence
     * @throws ConfigException with all problems of the file and the settings
     */
    public static PipelineConfig read(Path run, List<String> settings) throws IOException, ConfigException {
        Path file = run.resolve(NAME);
        if (!Files.exists(file)) {
            throw new IOException(run + " has no " + NAME
                    + ": it is not the folder of a run, or an earlier version of Millrace wrote it. Name the pipeline file"
                    + " of the run instead");
        }
        PipelineConfig recorded = ConfigReader.read(file, List.of());
        PipelineConfig config = settings.isEmpty() ? recorded : ConfigReader.read(file, settings);
        if (!sameSamples(recorded, config)) {
            throw new IOException("--set " + String.join(" ", ConfigReader.withoutSecrets(settings))
                    + ": these settings change the samples of the run in " + run
                    + "; expected only other places of the same data, or secrets");
        }
        return FinalState.consumer(run) == Consumer.CLIENTS
                ? config.with(config.train().withTail(Tail.ALL_RANKS))
                : config;
    }

    private static boolean sameSamples(PipelineConfig one, PipelineConfig other) {
        Set<Identity> parts = Set.of(Identity.BATCHES);
        return one.identity(parts).equals(other.identity(parts))
                && one.data().mix().equals(other.data().mix())
                && one.data().order().equals(other.data().order())
                && one.data().epochs() == other.data().epochs()
                && one.data().epochSteps().equals(other.data().epochSteps())
                && one.batch().size() == other.batch().size()
                && one.train().trainers().ranks() == other.train().trainers().ranks();
    }
}
