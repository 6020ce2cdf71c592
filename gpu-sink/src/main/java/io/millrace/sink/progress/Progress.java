package io.millrace.sink.progress;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.order.BatchPlan;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TaskProgress;
import io.millrace.sink.figures.TrainerState;
import io.millrace.sink.files.StateRefusedException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The progress of a trainer, as checkpoints and finished runs store it in JSON.
 *
 * @param version the version of the stored format
 * @param nextBatch the number of the first batch that was not trained on
 * @param firstPosition the first position of that batch; a source without state of its own begins there
 * @param folder the run's folder, which contains the files that {@code logs} measures
 * @param logs the lengths of these files
 * @param restarts the number of times that training was restarted from a checkpoint, in all jobs of its history
 * @param earlierRestarts the restarts that belong to earlier jobs of this history
 * @param quarantinedRows the number of rows that stayed empty in batches
 * @param assembleNanos the time in which the task's thread put rows into their batches, in nanoseconds
 * @param checkpoints the cost of the checkpoints
 * @param trainer the state of the trainer
 */
public record Progress(
        int version,
        long nextBatch,
        long firstPosition,
        String folder,
        RunLogs.Positions logs,
        int restarts,
        int earlierRestarts,
        long quarantinedRows,
        long assembleNanos,
        SnapshotCost checkpoints,
        TrainerState trainer) {
    /** The version of the format that {@link #json} writes. */
    public static final int VERSION = 1;

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /** Returns the progress of a training between two batches. */
    public static Progress of(BatchPlan plan, Path folder, TaskProgress task, TrainerSnapshot trainer) {
        long next = task.nextBatch();
        return new Progress(
                VERSION,
                next,
                next == plan.batches() ? plan.positions() : plan.batch(next).firstPosition(),
                folder.toAbsolutePath().toString(),
                trainer.logs(),
                task.counters().restarts(),
                task.earlierRestarts(),
                task.counters().quarantinedRows(),
                task.counters().assembleNanos(),
                task.counters().checkpoints(),
                trainer.figures());
    }

    /**
     * Returns whether this is the progress of the run in the folder {@code run}, and not of an earlier run that it
     * continues.
     */
    public boolean isOf(Path run) {
        return Path.of(folder).equals(run.toAbsolutePath());
    }

    /** Returns this progress as JSON in UTF-8. */
    public byte[] json() throws IOException {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    }

    /** Returns JSON of this class with the values that states of earlier versions of Millrace lack. */
    public static JsonNode completed(JsonNode progress) {
        if (progress.path("trainer") instanceof ObjectNode trainer && !trainer.has("epochs")) {
            trainer.set("epochs", JSON.valueToTree(TrainerState.WITHOUT_EPOCHS));
        }
        return progress;
    }

    /**
     * Reads JSON.
     *
     * @throws StateRefusedException when it has another version, or {@link #json} did not write it
     */
    public static Progress read(byte[] json) throws IOException {
        try {
            JsonNode tree = JSON.readTree(json);
            int version = tree.path("version").asInt(-1);
            if (version != VERSION) {
                throw new StateRefusedException("the checkpoint has the trainer's progress in version "
                        + (version < 0 ? "unknown" : version) + ", this Millrace reads version " + VERSION
                        + ": resume with the version of Millrace that wrote it, or start a new run");
            }
            return JSON.treeToValue(completed(tree), Progress.class);
        } catch (JsonProcessingException e) {
            throw new StateRefusedException(
                    "the trainer's progress in the checkpoint is damaged: " + e.getOriginalMessage(), e);
        }
    }
}
