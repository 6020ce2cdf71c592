package io.millrace.sink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.order.BatchPlan;
import java.io.IOException;
import java.nio.file.Path;

/**
 * How far a trainer got, as checkpoints and finished runs keep it: JSON, which says the names beside the values.
 *
 * @param version of the form, {@link #VERSION} when written by us
 * @param nextBatch the number of the first batch that was not trained on
 * @param firstPosition of that batch: where a source begins that has no state of its own
 * @param folder the run's folder, with the files that {@code logs} measures
 * @param logs how long they were
 * @param restarts how often the training was begun again from a checkpoint, over all jobs of its history
 * @param earlierRestarts of these, those in the jobs before the one that wrote this
 * @param quarantinedRows rows that batches lacked
 * @param assembleNanos of the task's thread
 */
record Progress(
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
    /** The form that {@link #json} writes. */
    static final int VERSION = 1;

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /** Of a training that stands between two batches. */
    static Progress of(BatchPlan plan, Path folder, TaskProgress task, TrainerSnapshot trainer) {
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

    /** Whether it is of the run in that folder, and not of one that another goes on from. */
    boolean isOf(Path run) {
        return Path.of(folder).equals(run.toAbsolutePath());
    }

    /** As JSON, UTF-8. */
    byte[] json() throws IOException {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    }

    /**
     * Reads JSON.
     *
     * @throws StateRefusedException when it is of another version or not what {@link #json} writes
     */
    static Progress read(byte[] json) throws IOException {
        try {
            JsonNode tree = JSON.readTree(json);
            int version = tree.path("version").asInt(-1);
            if (version != VERSION) {
                throw new StateRefusedException("the checkpoint has the trainer's progress in version "
                        + (version < 0 ? "unknown" : version) + ", this Millrace reads version " + VERSION
                        + ": go on with the Millrace that wrote it, or begin anew");
            }
            return JSON.treeToValue(tree, Progress.class);
        } catch (JsonProcessingException e) {
            throw new StateRefusedException(
                    "the trainer's progress in the checkpoint is damaged: " + e.getOriginalMessage(), e);
        }
    }
}
