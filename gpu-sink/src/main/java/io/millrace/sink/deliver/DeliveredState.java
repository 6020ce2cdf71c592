package io.millrace.sink.deliver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.file.WholeFiles;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.progress.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The figures of a served rank, in the file {@code serve.json} of its folder. A rank whose sink Flink has started again
 * continues with them. A served run makes no checkpoints that could hold them.
 *
 * @param run the id of the delivery that the figures belong to
 * @param progress the figures; its next batch is the step after the latest that a client has reported
 * @param done whether the rank's client needs no more batches
 */
record DeliveredState(String run, Progress progress, boolean done) {
    private static final String NAME = "serve.json";
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /**
     * Reads the figures of a delivery.
     *
     * @return empty when the delivery has saved none in this folder
     */
    static Optional<DeliveredState> read(Path folder, String run) throws IOException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            JsonNode tree = JSON.readTree(Files.readAllBytes(file));
            Progress.completed(tree.path("progress"));
            DeliveredState read = JSON.treeToValue(tree, DeliveredState.class);
            return read.run.equals(run) ? Optional.of(read) : Optional.empty();
        } catch (JsonProcessingException e) {
            throw new StateRefusedException(file + " is damaged: " + e.getOriginalMessage(), e);
        }
    }

    /** Writes the figures, in place of earlier ones. */
    void write(Path folder) throws UnwritableException {
        Path file = folder.resolve(NAME);
        try {
            WholeFiles.write(file, JSON.writeValueAsBytes(this));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }
}
