package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the class numbers of a field: labels, one number or a vector for each row, or masks. It checks each
 * number.
 */
final class ClassNumbers {
    /** Code that receives the class number at a place of a row. */
    @FunctionalInterface
    interface Consumer {
        void accept(int row, int place, long number);
    }

    private final String field;
    private final int classes;
    private final OptionalLong ignored;
    private final int column;
    private final BatchSpec.@Nullable Column spec;
    private final ColumnNumbers.@Nullable WholeNumbers numbers;

    /**
     * Prepares to read a field.
     *
     * @param field the name of a column, or {@link Roles#LABEL}
     * @param ignored a number that is allowed although it is not a class; empty if there is none
     * @param what the part of training that needs the numbers, for error messages
     * @throws TrainSpecException when there is no such column or its values are not whole numbers
     */
    ClassNumbers(BatchSpec batch, String field, int classes, OptionalLong ignored, String what) {
        this.field = field;
        this.classes = classes;
        this.ignored = ignored;
        this.spec = BatchFields.find(batch, field);
        this.column = spec == null ? -1 : batch.columns().indexOf(spec);
        this.numbers = spec == null ? null : ColumnNumbers.classNumbers(spec, what);
    }

    /**
     * Returns the shape of a row's numbers: empty for one number, [height, width] for masks. Ragged columns have no
     * such shape.
     */
    List<Integer> shape() {
        return spec == null ? List.of() : BatchFields.withoutSingleChannel(spec);
    }

    /** Returns the number of classes. */
    int classes() {
        return classes;
    }

    /** Returns the number that is allowed although it is not a class; empty if there is none. */
    OptionalLong ignored() {
        return ignored;
    }

    /** Reads all rows of a batch. Ignored numbers are passed on unchanged. */
    void read(DeviceBatch batch, Consumer to) {
        if (spec == null || numbers == null) {
            for (int row = 0; row < batch.rows(); row++) {
                to.accept(row, 0, checked(batch, row, 0, batch.label(row)));
            }
            return;
        }
        ByteBuffer values = batch.column(column);
        boolean ragged = spec.form() == Form.RAGGED;
        int size = spec.elements();
        for (int row = 0; row < batch.rows(); row++) {
            long from = ragged ? batch.offsets(column).get(row) * size : (long) row * size;
            long to1 = ragged ? batch.offsets(column).get(row + 1) * size : from + size;
            for (int i = 0; i < to1 - from; i++) {
                to.accept(row, i, checked(batch, row, i, numbers.at(values, (int) from + i)));
            }
        }
    }

    private long checked(DeviceBatch batch, int row, int place, long number) {
        if ((number >= 0 && number < classes) || (ignored.isPresent() && ignored.getAsLong() == number)) {
            return number;
        }
        if (spec == null) {
            throw new LabelOutOfRangeException(batch.split(), batch.index(row), number, classes);
        }
        throw new LabelOutOfRangeException(
                batch.split(),
                batch.index(row),
                number,
                classes,
                BatchFields.place(spec, place) + " of '" + field + "'");
    }
}
