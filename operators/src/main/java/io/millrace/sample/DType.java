package io.millrace.sample;

import java.util.Locale;

/**
 * The element type of a {@link Field}. The order is part of the serialized form, so new constants must be added at the
 * end.
 */
public enum DType {
    /** The bytes of a file that still has to be decoded (JPEG, PNG ...). The shape is {@code [length]}. */
    ENCODED(1),
    /** Unsigned bytes, 0 to 255. */
    UINT8(1),
    /** IEEE 754 single precision, little-endian. */
    FLOAT32(4),
    /** Signed bytes. */
    INT8(1),
    /** Signed integers of 16 bits, little-endian like all types that follow. */
    INT16(2),
    UINT16(2),
    INT32(4),
    INT64(8),
    /** IEEE 754 half precision. */
    FLOAT16(2),
    FLOAT64(8),
    /** One byte for each value, 0 or 1. */
    BOOL(1),
    /** The upper half of a single-precision float: it has the range of a float and 8 bits of precision. */
    BFLOAT16(2);

    private final int bytes;

    DType(int bytes) {
        this.bytes = bytes;
    }

    /** Returns the name that pipeline files and messages use. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the values are floating-point numbers. */
    public boolean isFloat() {
        return this == FLOAT16 || this == FLOAT32 || this == FLOAT64 || this == BFLOAT16;
    }

    /** Returns the size of one element in bytes. */
    public int bytes() {
        return bytes;
    }
}
