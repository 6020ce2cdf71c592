package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceBatch;
import io.millrace.train.TrainStep;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.nio.file.Path;
import java.util.List;

/** A training step that trains nothing and records every row of batches with one column of pixels. */
public abstract class RowRecorder implements TrainStep {
    /**
     * Records a good row.
     *
     * @param pixels the bytes of its column
     */
    protected abstract void record(DeviceBatch batch, int row, byte[] pixels);

    private void record(DeviceBatch batch) {
        int rowBytes = batch.spec().rowBytes();
        for (int row = 0; row < batch.rows(); row++) {
            byte[] pixels = new byte[rowBytes];
            batch.column(0).get(row * rowBytes, pixels);
            record(batch, row, pixels);
        }
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        record(batch);
        return new StepResult(0, 1, 1);
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        record(batch);
        return new EvaluationResult(0, 0, batch.rows());
    }

    @Override
    public String parametersSha256() {
        return "";
    }

    @Override
    public long parameterCount() {
        return 0;
    }

    @Override
    public void save(Path directory) {}

    @Override
    public ModelState snapshot() {
        return new ModelState(List.of());
    }

    @Override
    public void restore(List<StateChunk> state) {
        assertThat(state).isEmpty();
    }

    @Override
    public void close() {}
}
