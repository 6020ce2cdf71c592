package io.millrace.sink;

import io.millrace.train.state.ModelState;
import java.util.HashMap;
import java.util.Map;

/**
 * The copies of the model that Flink is writing, until it says what became of the checkpoint: so their memory serves the
 * next one. Of a checkpoint that nothing is heard of, the garbage collector frees it. The task's thread alone calls.
 */
final class ModelCopies implements AutoCloseable {
    private final Map<Long, ModelState> byCheckpoint = new HashMap<>();

    /** Takes a copy over; returns it. */
    ModelState keep(long checkpoint, ModelState model) {
        byCheckpoint.put(checkpoint, model);
        return model;
    }

    /** Flink is done with that checkpoint. */
    void release(long checkpoint) {
        ModelState model = byCheckpoint.remove(checkpoint);
        if (model != null) {
            model.close();
        }
    }

    /** Flink is done with all. */
    @Override
    public void close() {
        byCheckpoint.values().forEach(ModelState::close);
        byCheckpoint.clear();
    }
}
