package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@link Targets} that operations on whole tensors compute, on the engine's device. */
sealed interface TensorTargets extends Targets {
    /**
     * Targets of class numbers, int64 [rows, 1] or [rows, 1, height, width]. If rows are mixed, the targets are shares
     * of classes.
     */
    final class Classes implements TensorTargets {
        private final TensorClassNumbers numbers;
        private final List<Integer> shape = new ArrayList<>();
        private final @Nullable EncodedRows mixed;

        /** Prepares for a field. Takes ownership of {@code mixed}. */
        Classes(BatchSpec batch, String field, ClassNumbers known, DeviceRows device, @Nullable EncodedRows mixed) {
            this.numbers = new TensorClassNumbers(batch, field, known, device.checks(), device.tensors());
            this.mixed = mixed;
            shape.add(1);
            shape.addAll(known.shape());
        }

        @Override
        public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
            return mixed != null && !mixtures.isEmpty()
                    ? mixed.make(batch, mixtures, manager)
                    : numbers.make(batch, manager).reshape(ColumnNumbers.batch(batch.rows(), shape));
        }

        @Override
        public void close() {
            if (mixed != null) {
                mixed.close();
            }
        }
    }

    /** Targets of floats: [rows, 1] for one number per row, [rows, channels, height, width] for pictures. */
    final class Floats implements TensorTargets {
        private final @Nullable ColumnTensors column;
        private final List<Integer> shape;
        private final RowTensors rows;

        /** Prepares for a column, or for the labels if the column is null. */
        Floats(BatchSpec batch, BatchSpec.@Nullable Column column, RowTensors rows) {
            this.column = column == null ? null : new ColumnTensors(batch, column);
            this.shape = column == null || column.shape().isEmpty() ? List.of(1) : column.shape();
            this.rows = rows;
        }

        @Override
        public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
            PtNDArray floats = column == null
                    ? ColumnTensors.labels(batch, manager).toType(DataType.FLOAT32, false)
                    : column.converted(batch, DataType.FLOAT32, manager);
            PtNDArray shaped = floats.reshape(ColumnNumbers.batch(batch.rows(), shape));
            PtNDArray mixed = rows.mixed(shaped, mixtures, manager);
            return column != null && column.column().pictures() ? ColumnTensors.planes(mixed) : mixed;
        }

        /** Does nothing, because the engine allocates the memory for each batch. */
        @Override
        public void close() {}
    }
}
