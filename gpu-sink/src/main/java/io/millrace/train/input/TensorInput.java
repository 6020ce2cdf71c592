package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * An input of the model that operations on whole tensors compute from a column, on the engine's device. First the bytes
 * of pictures are changed, then numbers become floats, and then the floats are changed. On the host, {@link HostInput}
 * does the last two steps faster, with the same results.
 *
 * <p>Tested by {@code PictureTransformsContract}.
 */
final class TensorInput implements ModelInput {
    private final ColumnTensors tensors;
    private final BatchSpec.Column column;
    private final RowTensors rowTensors;
    private final DeviceOps ops;
    private final MemoryFormat format;
    private final Map<Split, Chain> chains = new EnumMap<>(Split.class);
    private final Handles changes = new Handles();

    /** The transforms of a split's rows. */
    private record Chain(List<PictureChange> pictures, List<Integer> shape, List<TensorStep> floats) {}

    /**
     * Prepares for batches of up to {@code capacity} rows.
     *
     * @param column a column that is not ragged
     * @param rows the operations on rows, which the caller owns
     * @param manager the owner of the constants, on the engine's device
     * @throws TrainSpecException when a transform does not fit the column, or the rows of the two splits would have
     *     different shapes
     */
    TensorInput(
            TrainSpec train,
            DevicePlan plan,
            ColumnTensors column,
            int capacity,
            RowTensors rows,
            DeviceOps ops,
            PtNDManager manager) {
        this.tensors = column;
        this.column = column.column();
        this.rowTensors = rows;
        this.ops = ops;
        this.format = train.tuning().format(manager.getDevice().isGpu());
        changes.closeOnFailure(() -> {
            for (Split split : Split.values()) {
                chains.put(split, chain(train.data().rowStages().seed(), plan, split, capacity, manager));
            }
            requireAlike();
            return chains;
        });
    }

    private Chain chain(long seed, DevicePlan plan, Split split, int capacity, PtNDManager manager) {
        List<PictureChange> pictures = new ArrayList<>();
        List<Integer> shape = column.shape();
        for (RowStage stage : plan.pictures(split)) {
            if (DeviceTransforms.maker(stage.part()) instanceof DeviceTransforms.PictureMaker pictureMaker) {
                var change = pictureMaker.factory().open(stage, column, shape, seed, capacity, ops, manager);
                change.ifPresent(c -> pictures.add(changes.add(c)));
                shape = change.map(PictureChange::shape).orElse(shape);
            }
        }
        List<TensorStep> floats = steps(plan.parts(column.name(), split), shape, manager);
        return new Chain(pictures, shape, floats);
    }

    private static List<TensorStep> steps(List<Component> parts, List<Integer> shape, PtNDManager manager) {
        return DeviceTransforms.floatSteps(parts, shape).stream()
                .map(step -> TensorStep.of(step, shape, manager))
                .toList();
    }

    private void requireAlike() {
        List<Integer> trained = shape(Split.TRAIN);
        if (!trained.equals(shape(Split.EVALUATE))) {
            throw new TrainSpecException("'" + column.name() + "' has the shape " + trained + " in training and "
                    + shape(Split.EVALUATE) + " in evaluation after the device's transforms: expected equal shapes");
        }
    }

    private List<Integer> shape(Split split) {
        return chain(split).shape;
    }

    private Chain chain(Split split) {
        Chain chain = chains.get(split);
        if (chain == null) {
            throw new IllegalStateException("there are no transforms for the split " + split);
        }
        return chain;
    }

    @Override
    public BatchSpec.Column modelColumn() {
        return new BatchSpec.Column(column.name(), DType.FLOAT32, shape(Split.TRAIN), column.kind(), Form.DENSE);
    }

    /** Adds one array: [rows, channels, height, width] for images, otherwise [rows, ...]. */
    @Override
    public void make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager, NDList into) {
        Chain chain = chain(batch.split());
        PtNDArray floats = chain.pictures.isEmpty()
                ? tensors.converted(batch, DataType.FLOAT32, manager)
                : changed(bytes(batch, manager), chain, BatchRows.of(batch), manager);
        into.add(finished(floats, chain, mixtures, manager));
    }

    private PtNDArray bytes(DeviceBatch batch, PtNDManager manager) {
        return column.form() == Form.DENSE
                ? tensors.wireNumbers(batch, manager)
                : tensors.converted(batch, DataType.UINT8, manager);
    }

    /** Returns the floats of a split's pictures, for callers without a batch. */
    PtNDArray make(PtNDArray pictures, Split split, BatchRows rows, PtNDManager manager) {
        return finished(changed(pictures, chain(split), rows, manager), chain(split), List.of(), manager);
    }

    private static PtNDArray changed(PtNDArray pictures, Chain chain, BatchRows rows, PtNDManager manager) {
        PtNDArray made = pictures;
        for (PictureChange change : chain.pictures) {
            PtNDArray before = made;
            made = change.apply(before, rows, manager);
            closeUnless(made, before);
        }
        PtNDArray floats = JniUtils.to(made, DataType.FLOAT32, made.getDevice());
        closeUnless(floats, made);
        return floats;
    }

    /**
     * Closes a tensor that is no longer needed. It would otherwise stay until the end of the step, and a batch of
     * photographs is large.
     */
    @SuppressWarnings(
            "ReferenceEquality") // the question is whether both are the same tensor, not whether their values are equal
    private static void closeUnless(PtNDArray needed, PtNDArray before) {
        if (before != needed) {
            before.close();
        }
    }

    private PtNDArray finished(PtNDArray floats, Chain chain, List<RowMixture> mixtures, PtNDManager manager) {
        PtNDArray made = floats;
        for (TensorStep step : chain.floats) {
            made = step.apply(made, ops, manager);
        }
        PtNDArray mixed = rowTensors.mixedInputs(made, mixtures, manager);
        if (!column.pictures()) {
            return mixed;
        }
        PtNDArray planes = ColumnTensors.planes(mixed);
        return format == MemoryFormat.CHANNELS_LAST ? planes : rowTensors.contiguous(planes, manager);
    }

    @Override
    public void close() {
        changes.close();
    }
}
