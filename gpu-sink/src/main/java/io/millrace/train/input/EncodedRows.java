package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Class numbers as zeros and ones, [rows, classes, ...]. Belongs to one thread, which closes it. */
sealed interface EncodedRows extends AutoCloseable permits HostEncodedRows, TensorEncodedRows {
    /**
     * Prepares for batches of up to {@code capacity} rows.
     *
     * @param field the name of a column, or {@link Roles#LABEL}
     * @param rows the operations on rows, which the caller owns; null if the CPU can read the batches
     * @throws TrainSpecException when the field does not fit the encoding
     */
    static EncodedRows open(BatchSpec batch, String field, Encoding encoding, int capacity, @Nullable DeviceRows rows) {
        return rows == null
                ? new HostEncodedRows(batch, field, encoding, capacity)
                : new TensorEncodedRows(batch, field, encoding, rows.checks(), rows.tensors());
    }

    /** Returns the shape of a row: the classes first, then the extents of a mask. */
    List<Integer> shape();

    /** Encodes a sealed batch and mixes its rows. The result is valid until the next call. */
    PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager);

    @Override
    void close();

    /**
     * Returns the class numbers of a field: one or several for a row, as the encoding requires.
     *
     * @param field the name of a column, or {@link Roles#LABEL}
     * @throws TrainSpecException when the field does not fit the encoding
     */
    static ClassNumbers numbers(BatchSpec batch, String field, Encoding encoding) {
        BatchSpec.Column column = BatchFields.find(batch, field);
        boolean ragged = column != null && column.form() == Form.RAGGED;
        if (ragged != (encoding.kind() == Encoding.Kind.MULTI_HOT)) {
            throw new TrainSpecException(encoding.describe() + " needs "
                    + (ragged ? "one class number for each place" : "a ragged field of class numbers") + ", found '"
                    + field + "'" + (column == null ? ", the samples' labels" : " as " + column.describe())
                    + (ragged ? "; use MultiHot for lists of class numbers" : "; use OneHot for one class number"));
        }
        return new ClassNumbers(batch, field, encoding.classes(), OptionalLong.empty(), encoding.describe());
    }

    /** Returns the shape of an encoded row of these numbers. */
    static List<Integer> shape(ClassNumbers numbers, Encoding encoding) {
        List<Integer> extents = new ArrayList<>();
        extents.add(encoding.classes());
        if (encoding.kind() != Encoding.Kind.MULTI_HOT) {
            extents.addAll(numbers.shape());
        }
        return List.copyOf(extents);
    }
}
