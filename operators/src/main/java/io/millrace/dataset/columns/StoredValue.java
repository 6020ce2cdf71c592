package io.millrace.dataset.columns;

import io.millrace.sample.DType;

/** One value as a file holds it, before it is taken as a field. Belongs to who asked for it. */
public final class StoredValue {
    /** What a file says a value is. */
    public enum Form {
        /** Bytes of any meaning: an encoded image, most often. */
        BYTES,
        /** UTF-8. */
        TEXT,
        /** UTF-8, one of the names that {@link Table.Rows#dictionary} lists. */
        NAME,
        /** Numbers of a shape that is the same in every row. */
        FIXED,
        /** Numbers as many as the row has. */
        LIST
    }

    private final Form form;
    private final DType dtype;
    private final int[] shape;
    private final byte[] data;

    private StoredValue(Form form, DType dtype, int[] shape, byte[] data) {
        this.form = form;
        this.dtype = dtype;
        this.shape = shape;
        this.data = data;
    }

    /** Takes ownership of {@code bytes}. */
    public static StoredValue bytes(byte[] bytes) {
        return new StoredValue(Form.BYTES, DType.UINT8, new int[] {bytes.length}, bytes);
    }

    /** Takes ownership of {@code utf8}. */
    public static StoredValue text(byte[] utf8) {
        return new StoredValue(Form.TEXT, DType.UINT8, new int[] {utf8.length}, utf8);
    }

    /** Takes ownership of {@code shape} and {@code data}. */
    public static StoredValue fixed(DType dtype, int[] shape, byte[] data) {
        return new StoredValue(Form.FIXED, dtype, shape, data);
    }

    /** The same value of another form. */
    public StoredValue as(Form other) {
        return new StoredValue(other, dtype, shape, data);
    }

    /** What the file says it is. */
    public Form form() {
        return form;
    }

    /** The type of the elements, little-endian; {@link DType#UINT8} of bytes and text. */
    public DType dtype() {
        return dtype;
    }

    /** Outermost extent first; empty for one number. */
    public int[] shape() {
        return shape;
    }

    /** The elements, row by row. */
    public byte[] data() {
        return data;
    }
}
