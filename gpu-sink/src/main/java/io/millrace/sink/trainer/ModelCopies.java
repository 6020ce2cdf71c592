package io.millrace.sink.trainer;

import io.millrace.train.state.ModelState;
import java.util.HashMap;
import java.util.Map;

/**
 * The copies of the model that Flink is writing. A copy is kept until Flink reports the outcome of its checkpoint. Then
 * it is freed, so that the next copy can use its memory. If Flink never reports the outcome, the garbage collector
 * frees the copy. Only the task's thread calls it.
 */
final class ModelCopies implements AutoCloseable {
    private final Map<Long, ModelState> byCheckpoint = new HashMap<>();

    /** Takes ownership of a copy, keeps it and returns it. */
    ModelState keep(long checkpoint, ModelState model) {
        byCheckpoint.put(checkpoint, model);
        return model;
    }

    /** Frees the copy of a checkpoint that Flink has completed or aborted. */
    void release(long checkpoint) {
        ModelState model = byCheckpoint.remove(checkpoint);
        if (model != null) {
            model.close();
        }
    }

    /** Frees all copies. */
    @Override
    public void close() {
        byCheckpoint.values().forEach(ModelState::close);
        byCheckpoint.clear();
    }
}
