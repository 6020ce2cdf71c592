package io.millrace.train.update;

import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.device.EngineTensors;
import io.millrace.lifecycle.Handles;
import io.millrace.train.engine.TensorValues;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.network.Blocks;
import io.millrace.train.network.FlatState;
import java.util.ArrayList;
import java.util.List;

/**
 * The optimizer of one network. It owns the moments and counts the updates. In the device's memory, the moments have
 * the same blocks and the same order as the weights. Belongs to the training thread.
 */
public final class UpdateRule implements AutoCloseable {
    private final Handles handles = new Handles();
    private final List<Blocks> moments = new ArrayList<>();
    private final List<PtNDArray> gradients;
    private final UpdateTensors tensors;
    private final Optimizer.Update update;
    private long updates;

    /** Prepares the optimizer for these weights, with zero moments. */
    public UpdateRule(Optimizer optimizer, FlatState state, TrainingMemory where) {
        this.gradients = state.gradients();
        this.tensors = handles.closeOnFailure(() -> {
            for (int i = 0; i < optimizer.moments(); i++) {
                moments.add(handles.add(new Blocks(state.layout(), where, "the optimizer's moments")));
            }
            return new UpdateTensors(
                    state.weights(),
                    gradients,
                    moments.stream().map(Blocks::vectors).toList(),
                    where);
        });
        this.update = handles.closeOnFailure(() -> handles.add(optimizer.prepare(tensors)));
    }

    /** Updates the weights by the gradients, and sets the gradients to zero. */
    void update(double learningRate) {
        updates++;
        if (update.zeroesGradients()) {
            update.apply(updates, learningRate);
            return;
        }
        tensors.run(() -> update.apply(updates, learningRate));
        gradients.forEach(gradient -> EngineTensors.fill(gradient, 0));
    }

    /** Returns the number of moments: vectors as long as the weights. */
    public int moments() {
        return moments.size();
    }

    /** Returns a moment's values, parameter after parameter. */
    public List<TensorValues> moment(int i) {
        return moments.get(i).tensors();
    }

    /** Returns the number of updates so far. */
    public long updates() {
        return updates;
    }

    /** Continues the count from this number of updates. */
    public void continueAfter(long made) {
        updates = made;
    }

    /** Frees the memory. The arrays that view it are closed later, and are not used after this call. */
    @Override
    public void close() {
        handles.close();
    }
}
