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

/** The class numbers of a field, checked as they are read: labels, a number or vector per row, or masks. */
final class ClassNumbers {
    /** Takes the class number of a place within a row. */
    @FunctionalInterface
    interface Consumer {
        void accept(int row, int place, long number);
    }

    private final String field;
    private final int classes;
    private final OptionalLong ignored;
    private final int column;
    private final BatchSpec.@Nullable Column spec;
    private final Numbers.@Nullable WholeNumbers numbers;

    /**
     * Prepares to read a field.
     *
     * @param field a column, or {@link Roles#LABEL}
     * @param ignored a number that is no class and yet allowed
     * @param what takes them, for errors
     * @throws TrainSpecException when there is no such column or it has no whole numbers
     */
    ClassNumbers(BatchSpec batch, String field, int classes, OptionalLong ignored, String what) {
        this.field = field;
        this.classes = classes;
        this.ignored = ignored;
        this.spec = Fields.find(batch, field);
        this.column = spec == null ? -1 : batch.columns().indexOf(spec);
        this.numbers = spec == null ? null : Numbers.classNumbers(spec, what);
    }

    /** The shape of a row's numbers: empty for one number, [height, width] for masks. Not for ragged columns. */
    List<Integer> shape() {
        return spec == null ? List.of() : Fields.withoutSingleChannel(spec);
    }

    /** How many classes there are. */
    int classes() {
        return classes;
    }

    /** A number that is no class and yet allowed. */
    OptionalLong ignored() {
        return ignored;
    }

    /** Reads all rows of a batch; what is ignored comes as it is. */
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
                batch.split(), batch.index(row), number, classes, Fields.place(spec, place) + " of '" + field + "'");
    }
}
