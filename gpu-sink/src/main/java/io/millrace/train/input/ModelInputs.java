package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All inputs of the model, in the model's order, computed from batches. Belongs to one thread, which closes it. */
public final class ModelInputs implements AutoCloseable {
    private final List<ModelInput> inputs = new ArrayList<>();
    private final Handles owned = new Handles();
    private final MixDraws draws;

    /**
     * Prepares for batches of up to {@code capacity} rows.
     *
     * @param manager the owner of the transforms' constants
     * @throws TrainSpecException when the batch has no such input, or a transform does not fit the input
     */
    public ModelInputs(TrainSpec spec, DevicePlan plan, int capacity, PtNDManager manager) {
        this(spec, plan, capacity, manager, null);
    }

    /**
     * Prepares for batches on a device.
     *
     * @param rows the operations on rows, which the caller owns; null if the CPU can read the batches
     */
    public ModelInputs(TrainSpec spec, DevicePlan plan, int capacity, PtNDManager manager, @Nullable DeviceRows rows) {
        try {
            for (String field : spec.data().roles().inputs()) {
                inputs.add(input(spec, plan, field, capacity, manager, rows));
            }
            this.draws = new MixDraws(
                    plan.mixes(), spec.recipe().seed(), inputs.get(0).modelColumn());
            inputs.forEach(this::requireMixable);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private ModelInput input(
            TrainSpec spec,
            DevicePlan plan,
            String field,
            int capacity,
            PtNDManager manager,
            @Nullable DeviceRows rows) {
        Encoding encoding = plan.encodings().get(field);
        if (encoding != null) {
            return new EncodedInput(field, EncodedRows.open(spec.data().input(), field, encoding, capacity, rows));
        }
        BatchSpec.Column column = BatchFields.column(spec.data().input(), field);
        boolean changed = plan.changesRows(field);
        if (PlainInput.takes(column) && !changed) {
            return rows == null
                    ? new PlainInput(spec.data().input(), column)
                    : new PlainTensorInput(new ColumnTensors(spec.data().input(), column));
        }
        if (rows != null || plan.needsTensors(field)) {
            RowTensors tensors = rows == null ? owned.add(new RowTensors(manager)) : rows.tensors();
            return new TensorInput(
                    spec,
                    plan,
                    new ColumnTensors(spec.data().input(), column),
                    capacity,
                    tensors,
                    owned.add(new DeviceOps(manager)),
                    manager);
        }
        return new HostInput(
                spec.data().input(),
                column,
                capacity,
                plan.floatSteps(column),
                spec.tuning().format(manager.getDevice().isGpu()));
    }

    private void requireMixable(ModelInput input) {
        boolean floats = !(input instanceof PlainInput || input instanceof PlainTensorInput);
        draws.requireMixable(input.modelColumn(), floats, input instanceof HostInput || input instanceof TensorInput);
    }

    /** Returns the description of a row of each input, in the form in which the model gets the row. */
    public List<BatchSpec.Column> modelColumns() {
        return inputs.stream().map(ModelInput::modelColumn).toList();
    }

    /**
     * Returns the mixtures of a batch's rows, which are a function of the seed and the step. Evaluation batches have none.
     *
     * @param batch a sealed batch
     */
    public List<RowMixture> mixtures(DeviceBatch batch) {
        return draws.of(batch);
    }

    /**
     * Returns the inputs of a sealed batch of at least 1 row.
     *
     * @param manager the owner of the arrays; the memory of the arrays is valid until the next call
     */
    public NDList make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
        NDList made = new NDList();
        for (ModelInput input : inputs) {
            input.make(batch, mixtures, manager, made);
        }
        return made;
    }

    @Override
    public void close() {
        inputs.forEach(ModelInput::close);
        owned.close();
    }
}
