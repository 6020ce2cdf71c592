package io.millrace.dataset.hdf5;

import io.jhdf.object.datatype.DataType;
import io.jhdf.object.datatype.EnumDataType;
import io.jhdf.object.datatype.FixedPoint;
import io.jhdf.object.datatype.FloatingPoint;
import io.jhdf.object.datatype.StringData;
import io.jhdf.object.datatype.VariableLength;
import io.millrace.sample.DType;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The type of the elements of a dataset.
 *
 * @param kind the stored form
 * @param bytes the number of stored bytes of one element, or of the reference to an element whose length varies
 * @param dtype the type in a field; null for text
 * @param bigEndian whether the bytes of numbers have to be reversed
 * @param signed whether numbers are signed
 */
record ElementType(Kind kind, int bytes, @Nullable DType dtype, boolean bigEndian, boolean signed) {
    /** The stored form of elements. */
    enum Kind {
        NUMBER,
        /** The same number of characters for each element, filled up with zeros or spaces. */
        FIXED_TEXT,
        /** A reference to text. */
        TEXT,
        /** A reference to numbers. */
        LIST
    }

    /** Returns the type. The result is empty for a type that is not supported. */
    static Optional<ElementType> of(DataType type) {
        if (type instanceof FixedPoint number) {
            return integer(number)
                    .map(dtype -> new ElementType(
                            Kind.NUMBER,
                            number.getSize(),
                            dtype,
                            number.getByteOrder() == ByteOrder.BIG_ENDIAN,
                            number.isSigned()));
        }
        if (type instanceof FloatingPoint number) {
            return floating(number.getSize())
                    .map(dtype -> new ElementType(
                            Kind.NUMBER, number.getSize(), dtype, number.getByteOrder() == ByteOrder.BIG_ENDIAN, true));
        }
        if (type instanceof EnumDataType named && named.getBaseType() instanceof FixedPoint base) {
            // h5py stores truth values in this way: an enumeration of FALSE and TRUE in one byte.
            boolean truth = base.getSize() == 1
                    && named.getEnumMapping().size() == 2
                    && named.getEnumMapping().containsValue("TRUE");
            return of(base).map(number -> truth ? new ElementType(Kind.NUMBER, 1, DType.BOOL, false, false) : number);
        }
        if (type instanceof StringData text && text.getSize() > 0) {
            return Optional.of(new ElementType(Kind.FIXED_TEXT, text.getSize(), null, false, false));
        }
        if (type instanceof VariableLength varying) {
            return varying.isVariableLengthString()
                    ? Optional.of(new ElementType(Kind.TEXT, varying.getSize(), null, false, false))
                    : of(varying.getParent())
                            .filter(element -> element.kind == Kind.NUMBER)
                            .map(element -> new ElementType(
                                    Kind.LIST, varying.getSize(), element.dtype, element.bigEndian, element.signed));
        }
        return Optional.empty();
    }

    private static Optional<DType> integer(FixedPoint number) {
        return switch (number.getSize()) {
            case 1 -> Optional.of(number.isSigned() ? DType.INT8 : DType.UINT8);
            case 2 -> Optional.of(number.isSigned() ? DType.INT16 : DType.UINT16);
            case 4 -> number.isSigned() ? Optional.of(DType.INT32) : Optional.empty();
            case 8 -> Optional.of(DType.INT64);
            default -> Optional.empty();
        };
    }

    private static Optional<DType> floating(int bytes) {
        return switch (bytes) {
            case 2 -> Optional.of(DType.FLOAT16);
            case 4 -> Optional.of(DType.FLOAT32);
            case 8 -> Optional.of(DType.FLOAT64);
            default -> Optional.empty();
        };
    }

    /** Reverses the bytes of big-endian numbers. Changes {@code stored} and returns it. */
    byte[] littleEndian(byte[] stored, int width) {
        if (!bigEndian || width == 1) {
            return stored;
        }
        for (int at = 0; at + width <= stored.length; at += width) {
            for (int i = 0; i < width / 2; i++) {
                byte swapped = stored[at + i];
                stored[at + i] = stored[at + width - 1 - i];
                stored[at + width - 1 - i] = swapped;
            }
        }
        return stored;
    }
}
