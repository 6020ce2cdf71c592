package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.train.loss.Loss;
import io.millrace.train.spec.NextTokens;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The targets that the loss compares with the model's outputs, computed from a field of batches. The next batch
 * overwrites the memory of the targets. Belongs to one thread, which closes it.
 *
 * <p>Tested by {@code DeliveredTransformsTest} and {@code MixturesTest}.
 */
public sealed interface Targets extends AutoCloseable
        permits Targets.Classes, Targets.Encoded, Targets.Floats, TensorTargets, TokenTargets {
    /**
     * Returns the targets of a sealed batch of at least 1 row.
     *
     * @param mixtures the mixtures of rows, in order; if there is at least one, class numbers become shares of classes
     * @throws LabelOutOfRangeException when a number is not one of the model's classes
     */
    PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager);

    @Override
    void close();

    /**
     * Prepares the targets of a loss, for batches of up to {@code capacity} rows.
     *
     * @param classes the number of classes of the model
     * @param manager a manager of the engine's device
     * @throws TrainSpecException when the target does not fit the loss or the transforms
     */
    static Targets open(TrainSpec spec, DevicePlan plan, Loss loss, int classes, int capacity, PtNDManager manager) {
        return open(spec, plan, loss, classes, capacity, manager, null);
    }

    /**
     * Prepares the targets of a loss for batches on a device.
     *
     * @param device the operations on rows, which the caller owns; null if the CPU can read the batches
     */
    static Targets open(
            TrainSpec spec,
            DevicePlan plan,
            Loss loss,
            int classes,
            int capacity,
            PtNDManager manager,
            @Nullable DeviceRows device) {
        BatchSpec batch = spec.data().input();
        String field = spec.data().roles().target();
        if (BatchFields.isComputed(batch, field)) {
            plan.requireMixable(field, false);
            return new TokenTargets(batch, loss, classes, capacity, manager, device);
        }
        Encoding encoding = plan.encodings().get(field);
        BatchSpec.Column column = BatchFields.find(batch, field);
        if (column == null && encoding == null && !loss.takesClasses() && classes != 1) {
            throw new TrainSpecException(spec.recipe().loss().name()
                    + " compares one output with the label's value: expected a model with classes: 1, found "
                    + classes);
        }
        boolean mixed = !plan.mixes().isEmpty();
        if (encoding != null) {
            if (encoding.classes() != classes) {
                throw new TrainSpecException(encoding.describe() + " of '" + field + "' has " + encoding.classes()
                        + " classes, but the model has " + classes + ": expected equal numbers");
            }
            EncodedRows rows = EncodedRows.open(batch, field, encoding, capacity, device);
            plan.requireMixable(field, rows.shape().size() == 1);
            return new Encoded(rows);
        }
        if (column != null && column.form() == Form.RAGGED) {
            throw new TrainSpecException("train.target '" + field + "' is " + column.describe()
                    + ", which no loss accepts: to train on lists of class numbers, set device.transforms: [{MultiHot:"
                    + " {field: " + field + ", classes: " + classes + "}}]");
        }
        boolean whole = column == null || !column.from().isFloat();
        if (!whole || !loss.takesClasses()) {
            plan.requireMixable(field, column == null || !column.pictures());
            return device == null
                    ? new Floats(batch, column, capacity)
                    : new TensorTargets.Floats(batch, column, device.tensors());
        }
        if (column != null
                && PlainInput.takes(column)
                && spec.data().roles().inputs().contains(field)) {
            throw new TrainSpecException("train.target '" + field
                    + "' is also an input, so the model would learn to repeat it:" + " expected another field, or "
                    + NextTokens.TARGET + " for the next token of packed sequences");
        }
        ClassNumbers numbers = new ClassNumbers(batch, field, classes, loss.ignored(), "the loss");
        plan.requireMixable(field, numbers.shape().isEmpty());
        Encoding hot = new Encoding(Encoding.Kind.ONE_HOT, classes);
        EncodedRows shares = mixed ? EncodedRows.open(batch, field, hot, capacity, device) : null;
        return classes(batch, field, numbers, capacity, device, shares);
    }

    /**
     * Prepares targets of class numbers.
     *
     * @param mixed the shares of classes for rows that are mixed, whose ownership passes to the targets; null if none are mixed
     */
    static Targets classes(
            BatchSpec batch,
            String field,
            ClassNumbers numbers,
            int capacity,
            @Nullable DeviceRows device,
            @Nullable EncodedRows mixed) {
        return device == null
                ? new Classes(numbers, capacity, mixed)
                : new TensorTargets.Classes(batch, field, numbers, device, mixed);
    }

    /**
     * Targets of class numbers, int64 [rows, 1] or [rows, 1, height, width]. If rows are mixed, the targets are shares
     * of classes.
     */
    final class Classes implements Targets {
        private final ClassNumbers numbers;
        private final List<Integer> shape = new ArrayList<>();
        private final int perRow;
        private final AlignedMemory memory;
        private final @Nullable EncodedRows mixed;

        private Classes(ClassNumbers numbers, int capacity, @Nullable EncodedRows mixed) {
            this.numbers = numbers;
            this.mixed = mixed;
            shape.add(1);
            shape.addAll(numbers.shape());
            this.perRow = shape.stream().reduce(1, Math::multiplyExact);
            this.memory = AlignedMemory.allocate((long) capacity * perRow * Long.BYTES, "the targets");
        }

        @Override
        public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
            if (mixed != null && !mixtures.isEmpty()) {
                return mixed.make(batch, mixtures, manager);
            }
            ByteBuffer target = memory.slice(0, batch.rows() * perRow * Long.BYTES);
            numbers.read(batch, (row, place, number) -> target.putLong((row * perRow + place) * Long.BYTES, number));
            return manager.create(target, ColumnNumbers.batch(batch.rows(), shape), DataType.INT64);
        }

        @Override
        public void close() {
            memory.close();
            if (mixed != null) {
                mixed.close();
            }
        }
    }

    /** Targets of zeros and ones. If rows are mixed, the targets are shares of classes. */
    final class Encoded implements Targets {
        private final EncodedRows rows;

        private Encoded(EncodedRows rows) {
            this.rows = rows;
        }

        @Override
        public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
            return rows.make(batch, mixtures, manager);
        }

        @Override
        public void close() {
            rows.close();
        }
    }

    /** Targets of floats: [rows, 1] for one number per row, [rows, channels, height, width] for pictures. */
    final class Floats implements Targets {
        private final BatchSpec.@Nullable Column column;
        private final int number;
        private final List<Integer> shape;
        private final int rowFloats;
        private final AlignedMemory memory;

        private Floats(BatchSpec batch, BatchSpec.@Nullable Column column, int capacity) {
            this.column = column;
            this.number = column == null ? -1 : batch.columns().indexOf(column);
            this.shape = column == null || column.shape().isEmpty() ? List.of(1) : column.shape();
            this.rowFloats = column == null ? 1 : column.elements();
            this.memory = AlignedMemory.allocate((long) capacity * rowFloats * Float.BYTES, "the targets");
        }

        @Override
        public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
            int rows = batch.rows();
            ByteBuffer floats = memory.slice(0, rows * rowFloats * Float.BYTES);
            Shape all = ColumnNumbers.batch(rows, shape);
            PtNDArray target = manager.create(floats, all, DataType.FLOAT32);
            if (column == null) {
                for (int row = 0; row < rows; row++) {
                    floats.putFloat(row * Float.BYTES, (float) batch.label(row));
                }
            } else {
                ColumnNumbers.toFloats(batch.column(number), column.dtype(), all, floats, () -> manager);
            }
            for (RowMixture mixture : mixtures) {
                new RowMixing(memory, rows, rowFloats).blend(mixture.share(), manager);
            }
            return column != null && column.pictures() ? target.transpose(0, 3, 1, 2) : target;
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
