package io.millrace.dataset.npy;

import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A writer of NumPy's .npy format, version 1.0: magic number, version, the length of a Python dictionary with type and
 * shape, the dictionary, and the elements, row-major and little-endian. The bytes are the same as those of
 * {@code numpy.save}.
 */
public final class NpyFile {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    private static final int ALIGNMENT = 64;

    /**
     * The number of digits for which NumPy reserves space, so that a program can increase the first extent in place.
     */
    private static final int GROWTH_DIGITS = 21;

    private NpyFile() {}

    /**
     * Returns the bytes of a whole file.
     *
     * @param dtype the type of the elements
     * @param shape the extents, outermost first
     * @param data the elements, row-major and little-endian
     */
    public static byte[] of(DType dtype, int[] shape, byte[] data) {
        String extents = Arrays.stream(shape).mapToObj(Integer::toString).collect(Collectors.joining(", "));
        String header = "{'descr': '" + descr(dtype) + "', 'fortran_order': False, 'shape': (" + extents
                + (shape.length == 1 ? "," : "") + "), }";
        if (shape.length > 0) {
            header += " ".repeat(GROWTH_DIGITS - Integer.toString(shape[0]).length());
        }
        int fixed = MAGIC.length + Short.BYTES;
        int length = header.length() + 1;
        int padding = ALIGNMENT - (fixed + length) % ALIGNMENT;
        ByteBuffer file =
                ByteBuffer.allocate(fixed + length + padding + data.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put(MAGIC).putShort((short) (length + padding));
        file.put((header + " ".repeat(padding) + "\n").getBytes(StandardCharsets.US_ASCII));
        return file.put(data).array();
    }

    /** Returns the bytes of a whole file of floats. */
    public static byte[] of(int[] shape, float[] values) {
        ByteBuffer data = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        data.asFloatBuffer().put(values);
        return of(DType.FLOAT32, shape, data.array());
    }

    private static String descr(DType dtype) {
        return switch (dtype) {
            case ENCODED, UINT8 -> "|u1";
            case BOOL -> "|b1";
            case INT8 -> "|i1";
            case INT16 -> "<i2";
            case UINT16 -> "<u2";
            case INT32 -> "<i4";
            case INT64 -> "<i8";
            case FLOAT16 -> "<f2";
            // NumPy has no bfloat16. As in ml_dtypes, the elements are two bytes without a meaning to NumPy.
            case BFLOAT16 -> "<V2";
            case FLOAT32 -> "<f4";
            case FLOAT64 -> "<f8";
        };
    }
}
