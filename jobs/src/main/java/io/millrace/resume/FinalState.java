package io.millrace.resume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.file.WholeFiles;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.spec.InitialState;
import io.millrace.source.RunIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static final ObjectMapper JSON = new ObjectMapper();

    private FinalState() {}

    /** Writes the identity of a run into its folder. */
    public static void identify(Path run, RunIdentity identity) throws IOException {
        ObjectNode json = JSON.createObjectNode();
        json.put(FOLDER, identity.folder());
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
        Path file = run.resolve(IDENTITY);
        if (!Files.exists(file)) {
            return new RunIdentity(Map.of(), folder);
        }
        JsonNode json = JSON.readTree(Files.readAllBytes(file));
        Map<String, String> meaning = new TreeMap<>();
        json.path(MEANING).forEachEntry((key, value) -> meaning.put(key, value.asText()));
        return new RunIdentity(meaning, folder);
    }
}
