package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.sample.DType;
import java.io.Serializable;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * A column of a batch, and the reason for its form and type on the wire.
 *
 * @param trainingType the type that training uses, with which savings are compared
 * @param reason the reason for the form and type, for messages, without the savings
 */
public record WireColumn(BatchSpec.Column column, DType trainingType, String reason) implements Serializable {
    private static final double FROM_SHOWN = 1.05;

    /** Returns the form and type on the wire for messages: "uint8", "bits", "sparse float32", "ragged uint8". */
    public String type() {
        String type = column.dtype().word();
        return switch (column.form()) {
            case DENSE -> type;
            case BITS -> "bits";
            case RAGGED -> "ragged " + type;
            case SPARSE -> "sparse " + type;
        };
    }

    /** Returns the bytes of a row on the wire; empty when rows differ in size. */
    public OptionalDouble rowBytes() {
        return column.varies() ? OptionalDouble.empty() : OptionalDouble.of(column.rowBytes());
    }

    /**
     * Returns the bytes that a row would have in the type that training uses. They consist of all elements, and of the
     * end offset if the row is ragged.
     *
     * @param wireBytes the bytes of the row on the wire
     */
    public double plainBytes(double wireBytes) {
        double elements = column.form() != Form.RAGGED
                ? column.elements()
                : (wireBytes - column.rowBytes()) / column.dtype().bytes();
        return elements * trainingType.bytes() + (column.form() == Form.RAGGED ? column.rowBytes() : 0);
    }

    /** Returns the reason and the savings: "ToFloat on the device: 4x less than float32". */
    public String why() {
        if (column.form() == Form.SPARSE) {
            return reason + ": the nonzero values and their places";
        }
        double times = column.form() == Form.RAGGED
                ? (double) trainingType.bytes() / column.dtype().bytes()
                : plainBytes(0) / column.rowBytes();
        return times < FROM_SHOWN ? reason : reason + ": " + factor(times) + "x less than " + trainingType.word();
    }

    private static String factor(double times) {
        return Math.abs(times - Math.rint(times)) < 0.05
                ? String.valueOf((long) Math.rint(times))
                : String.format(Locale.ROOT, "%.1f", times);
    }

    /** Describes the column in one line: "image: uint8, ToFloat on the device: 4x less than float32". */
    public String describe() {
        return column.name() + ": " + type() + ", " + why();
    }
}
