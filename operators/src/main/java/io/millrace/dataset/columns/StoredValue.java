package io.millrace.dataset.columns;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;

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
    private final Field values;

    private StoredValue(Form form, Field values) {
        this.form = form;
        this.values = values;
    }

    /** Takes ownership of {@code bytes} and returns their value. */
    public static StoredValue bytes(byte[] bytes) {
        return new StoredValue(Form.BYTES, Field.of(DType.UINT8, new int[] {bytes.length}, bytes));
    }

    /** Takes ownership of {@code utf8} and returns its value. */
    public static StoredValue text(byte[] utf8) {
        return new StoredValue(Form.TEXT, Field.of(DType.UINT8, new int[] {utf8.length}, utf8));
    }

    /** Takes ownership of {@code shape} and {@code data} and returns a value of fixed shape. */
    public static StoredValue fixed(DType dtype, int[] shape, byte[] data) {
        return fixed(Field.of(dtype, shape, data));
    }

    /** Returns a value of fixed shape, whose elements may be {@linkplain Field#stored() stored} in a mapped file. */
    public static StoredValue fixed(Field tensor) {
        return new StoredValue(Form.FIXED, tensor);
    }

    /** Returns the same value in another form. */
    public StoredValue as(Form other) {
        return new StoredValue(other, values);
    }

    /** Takes ownership of {@code extents} and returns the same elements as a value of this shape. */
    public StoredValue shaped(int[] extents) {
        return new StoredValue(form, values.shaped(extents));
    }

    /** Returns the form that the file states. */
    public Form form() {
        return form;
    }

    /** Returns the type of the elements, which is {@link DType#UINT8} for bytes and text. */
    public DType dtype() {
        return values.dtype();
    }

    /** Returns the extents, outermost first. The array is empty for a single number. */
    public int[] shape() {
        return values.shape();
    }

    /** Returns the elements, row-major and little-endian. Elements in a mapped file are copied first. */
    public byte[] data() {
        return values.data();
    }

    /** Returns the elements as a tensor. */
    public Field tensor() {
        return values;
    }

    /** Returns the value as a field. */
    Field field(FieldSource source, ValuePlace place) throws BadSampleException {
        return switch (form) {
            case BYTES -> FieldValues.bytes(source, data(), place);
            case TEXT, NAME -> FieldValues.checkedText(source, data(), place);
            case FIXED -> FieldValues.numbers(source, values, place);
            case LIST -> {
                boolean picture = source.name().equals(Sample.IMAGE) && dtype() == DType.UINT8 && shape().length > 1;
                FieldSource list = source.as() == As.AUTO && !picture
                        ? new FieldSource(source.name(), source.from(), As.RAGGED)
                        : source;
                yield FieldValues.numbers(list, values, place);
            }
        };
    }
}
