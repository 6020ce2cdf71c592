package io.millrace.dataset.columns;

import io.millrace.sample.DType;

/** One value as a file stores it, before it becomes a field. The caller that requested the value owns it. */
public final class StoredValue {
    /** The form of a value, which follows from the file's own types. */
    public enum Form {
        /** Bytes with any meaning, most often an encoded image. */
        BYTES,
        /** UTF-8 text. */
        TEXT,
        /** UTF-8 text, one of the names that {@link Table.Rows#dictionary} lists. */
        NAME,
        /** Numbers of a shape that is the same in every row. */
        FIXED,
        /** Numbers, whose count may differ from row to row. */
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

    /** Takes ownership of {@code bytes} and returns their value. */
    public static StoredValue bytes(byte[] bytes) {
        return new StoredValue(Form.BYTES, DType.UINT8, new int[] {bytes.length}, bytes);
    }

    /** Takes ownership of {@code utf8} and returns its value. */
    public static StoredValue text(byte[] utf8) {
        return new StoredValue(Form.TEXT, DType.UINT8, new int[] {utf8.length}, utf8);
    }

    /** Takes ownership of {@code shape} and {@code data} and returns a value of fixed shape. */
    public static StoredValue fixed(DType dtype, int[] shape, byte[] data) {
        return new StoredValue(Form.FIXED, dtype, shape, data);
    }

    /** Returns the same value in another form. */
    public StoredValue as(Form other) {
        return new StoredValue(other, dtype, shape, data);
    }

    /** Returns the form that the file states. */
    public Form form() {
        return form;
    }

    /** Returns the type of the elements, which is {@link DType#UINT8} for bytes and text. */
    public DType dtype() {
        return dtype;
    }

    /** Returns the extents, outermost first. The array is empty for a single number. */
    public int[] shape() {
        return shape;
    }

    /** Returns the elements, row-major and little-endian. */
    public byte[] data() {
        return data;
    }
}
