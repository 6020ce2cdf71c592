package io.millrace.dataset.npy;

import io.millrace.sample.DType;
import java.util.Arrays;

/** The array of a whole .npy file: numbers, row-major and little-endian. */
public final class NpyArray {
    private final DType dtype;
    private final int[] shape;
    private final byte[] data;

    private NpyArray(DType dtype, int[] shape, byte[] data) {
        this.dtype = dtype;
        this.shape = shape;
        this.data = data;
    }

    /**
     * Reads a file of version 1 to 3. An array in Fortran's order is reordered, so that the result is row-major.
     *
     * @throws MalformedNpyException when the bytes are no such file; the exception contains the offset within
     *     {@code file}
     */
    public static NpyArray parse(byte[] file) throws MalformedNpyException {
        NpyHeader header = NpyHeader.parse(file);
        long expected = header.elements(0) * header.type().bytes();
        long found = file.length - (long) header.bytes();
        if (expected != found) {
            throw new MalformedNpyException(
                    header.bytes(),
                    "expected " + expected + " bytes of elements, " + header.describe() + ", found " + found);
        }
        int[] shape = header.shape().stream()
                .mapToInt(extent -> (int) Math.min(extent, Integer.MAX_VALUE))
                .toArray();
        byte[] data = header.type().decode(Arrays.copyOfRange(file, header.bytes(), file.length));
        DType dtype = header.type().dtype();
        return new NpyArray(dtype, shape, header.fortran() ? rowMajor(data, shape, dtype.bytes()) : data);
    }

    /** Reorders elements whose first extent is the innermost, so that the last extent becomes the innermost. */
    static byte[] rowMajor(byte[] columnMajor, int[] shape, int elementBytes) {
        if (shape.length < 2 || columnMajor.length == 0) {
            return columnMajor;
        }
        byte[] rows = new byte[columnMajor.length];
        int[] place = new int[shape.length];
        for (int to = 0; to < rows.length; to += elementBytes) {
            int from = 0;
            for (int axis = shape.length - 1; axis >= 0; axis--) {
                from = from * shape[axis] + place[axis];
            }
            System.arraycopy(columnMajor, from * elementBytes, rows, to, elementBytes);
            for (int axis = shape.length - 1; axis >= 0 && ++place[axis] == shape[axis]; axis--) {
                place[axis] = 0;
            }
        }
        return rows;
    }

    public DType dtype() {
        return dtype;
    }

    /** Returns the extents, outermost first. The result is empty for a single number. It is not a copy. */
    public int[] shape() {
        return shape;
    }

    /** Returns the bytes of the elements. The result is not a copy. */
    public byte[] data() {
        return data;
    }
}
