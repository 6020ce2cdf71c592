package io.millrace.sink;

import io.millrace.train.state.ModelState;
import java.util.HashMap;
import java.util.Map;

/**
 * The copies of the model that Flink is writing. A copy is kept until Flink reports the outcome of its checkpoint, so
 * that its memory serves the next copy. When no report comes, the garbage collector frees the copy. The task's thread
 * alone calls.
 */
final class ModelCopies implements AutoCloseable {
    private final Map<Long, ModelState> byCheckpoint = new HashMap<>();

    /** Keeps a copy, takes ownership of it, and returns it. */
    ModelState keep(long checkpoint, ModelState model) {
        byCheckpoint.put(checkpoint, model);
        return model;
    }

    /** Frees the copy of a checkpoint that Flink has written or given up. */
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
