package io.millrace.resume;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.file.WholeFiles;
import io.millrace.pipeline.JobDescription.Consumer;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.spec.InitialState;
import io.millrace.source.RunIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state that the trainer writes into {@code model/state} of the run's folder when a run ends, and the run's identity, which is in
 * {@code run.json} of that folder from the run's start.
 */
public final class FinalState {
    private static final String MODEL = "model";
    private static final String IDENTITY = "run.json";
    private static final String FOLDER = "folder";
    private static final String MEANING = "meaning";
    private static final String CONSUMER = "consumer";
    private static final ObjectMapper JSON = new ObjectMapper();

    private FinalState() {}

    /** Writes the identity of a run into its folder. The owner of the training loop is named where it is not the run itself. */
    public static void identify(Path run, RunIdentity identity, Consumer consumer) throws IOException {
        ObjectNode json = JSON.createObjectNode();
        json.put(FOLDER, identity.folder());
        if (consumer != Consumer.TRAINERS) {
            json.put(CONSUMER, consumer.name().toLowerCase(Locale.ROOT));
        }
        ObjectNode meaning = json.putObject(MEANING);
        new TreeMap<>(identity.positionSettings()).forEach(meaning::put);
        WholeFiles.write(
                run.resolve(IDENTITY), JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
    }

    /** Returns the folder of a run's final state, which may not exist. */
    static Path of(Path run) {
        return run.resolve(MODEL).resolve(InitialState.FOLDER);
    }

    /**
     * Reads the identity and the position of a run's final state.
     *
     * @throws IOException when the state is damaged or of another version; the message is for the user
     */
    static ResumePoint read(Path run) throws IOException {
        Path state = of(run);
        SavedRun.Place place = SavedRun.place(state);
        return new ResumePoint(
                ResumePoint.Kind.FINAL_STATE, state.toString(), identity(run, place.folder()), place.firstPosition());
    }

    private static RunIdentity identity(Path run, String folder) throws IOException {
        Map<String, String> meaning = new TreeMap<>();
        json(run).path(MEANING).forEachEntry((key, value) -> meaning.put(key, value.asText()));
        return new RunIdentity(meaning, folder);
    }

    /**
     * Returns the settings that decided the samples of the run in a folder, by their keys; empty when the folder has no file of them.
     *
     * @throws IOException when the file cannot be read; the message is for the user
     */
    public static Map<String, String> settings(Path run) throws IOException {
        return identity(run, run.toString()).positionSettings();
    }

    /**
     * Returns the owner of the training loop of the run in a folder.
     *
     * @throws IOException when the file cannot be read; the message is for the user
     */
    public static Consumer consumer(Path run) throws IOException {
        String clients = Consumer.CLIENTS.name().toLowerCase(Locale.ROOT);
        return json(run).path(CONSUMER).asText().equals(clients) ? Consumer.CLIENTS : Consumer.TRAINERS;
    }

    private static JsonNode json(Path run) throws IOException {
        Path file = run.resolve(IDENTITY);
        try {
            return Files.exists(file) ? JSON.readTree(Files.readAllBytes(file)) : JSON.createObjectNode();
        } catch (JsonProcessingException e) {
            throw new IOException(file + " is damaged: expected the settings of a run as JSON", e);
        }
    }
}
