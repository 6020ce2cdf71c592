package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import org.jspecify.annotations.Nullable;

/**
 * The class numbers of a field in batches that the CPU cannot read. Labels are checked at once, because the host has a
 * copy of them. A number in another field that is not a class is replaced by a class, so that no operation fails on the
 * device. Such a number is reported with the step's result.
 */
final class TensorClassNumbers {
    private final ClassNumbers known;
    private final @Nullable ColumnTensors column;
    private final LateChecks checks;
    private final RowTensors rows;

    /**
     * Prepares to read a field.
     *
     * @param known the reader of class numbers on the host, for the labels
     */
    TensorClassNumbers(BatchSpec batch, String field, ClassNumbers known, LateChecks checks, RowTensors rows) {
        BatchSpec.Column found = BatchFields.find(batch, field);
        this.known = known;
        this.column = found == null ? null : new ColumnTensors(batch, found);
        this.checks = checks;
        this.rows = rows;
    }

    /** Returns int64 [rows] for labels and single numbers, [rows, height, width] for masks, [entries] for ragged rows. */
    PtNDArray make(DeviceBatch batch, PtNDManager manager) {
        ColumnTensors given = column;
        if (given == null) {
            known.read(batch, (row, place, number) -> {}); // checks the labels
            return (PtNDArray) ColumnTensors.labels(batch, manager).reshape(batch.rows());
        }
        PtNDArray numbers = given.converted(batch, DataType.INT64, manager);
        checks.add(given.column().name(), known.classes(), rows.extremes(numbers, known.ignored(), manager));
        PtNDArray classes = rows.classes(numbers, known.classes(), known.ignored(), manager);
        return (PtNDArray)
                (given.column().form() == Form.RAGGED
                        ? classes.reshape(-1)
                        : classes.reshape(ColumnNumbers.batch(batch.rows(), known.shape())));
    }

    /** Returns the offsets at which the rows of a ragged field begin. */
    PtNDArray offsets(DeviceBatch batch, PtNDManager manager) {
        ColumnTensors given = column;
        if (given == null) {
            throw new IllegalStateException("labels are not ragged");
        }
        return given.offsets(batch, manager);
    }
}
