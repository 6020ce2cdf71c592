package io.millrace.sample;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One value of a sample: a dense row-major array, or the bytes of an encoded image.
 *
 * <p>Images are {@code [height, width, channels]} (HWC). The field owns its array: code that hands an array over keeps
 * no reference to it. Transforms replace fields, and may write into the array of a field that they replace. The values
 * of a {@linkplain #stored(DType, int[], ByteBuffer) stored} field are copied to an array when a stage needs one.
 */
public final class Field {
    private final FieldKind kind;
    private final DType dtype;
    private final int[] shape;
    private final @Nullable Expected expected;

    /** Null while the values are only stored. */
    private byte @Nullable [] data;

    /** Null when the values lie in an array. */
    private @Nullable ByteBuffer stored;

    /** Whether the stored values stay the same while the field exists. */
    private final boolean lasting;

    private final @Nullable Annotation annotation;

    private Field(FieldKind kind, DType dtype, int[] shape, byte[] data) {
        this(kind, dtype, shape, data, null, true, null, null);
    }

    private Field(
            FieldKind kind,
            DType dtype,
            int[] shape,
            byte @Nullable [] data,
            @Nullable ByteBuffer stored,
            boolean lasting,
            @Nullable Expected expected,
            @Nullable Annotation annotation) {
        this.kind = kind;
        this.dtype = dtype;
        this.shape = shape;
        this.data = data;
        this.stored = stored;
        this.lasting = lasting;
        this.expected = expected;
        this.annotation = annotation;
    }

    /**
     * Takes ownership of {@code bytes}, the content of a file in some image format, and returns a field that holds it.
     */
    public static Field encoded(byte[] bytes) {
        return new Field(FieldKind.IMAGE, DType.ENCODED, new int[] {bytes.length}, bytes);
    }

    /**
     * Takes ownership of {@code utf8}, a text in UTF-8, and returns a field that holds it. Whoever reads the text from a file has checked
     * that it is UTF-8.
     */
    public static Field text(byte[] utf8) {
        return new Field(FieldKind.TEXT, DType.UINT8, new int[] {utf8.length}, utf8);
    }

    /**
     * Takes ownership of {@code bytes}, in which no image or sound was recognised, and returns them as ragged bytes.
     *
     * @param expected the content that {@code decode} expects in them
     */
    public static Field unrecognized(byte[] bytes, Expected expected) {
        return new Field(FieldKind.RAGGED, DType.UINT8, new int[] {bytes.length}, bytes, null, true, expected, null);
    }

    /**
     * Takes ownership of {@code pixels} and returns an image of unsigned bytes, row by row, channels last.
     *
     * @throws IllegalArgumentException when the array does not have exactly {@code height * width * channels} bytes
     */
    public static Field image(int height, int width, int channels, byte[] pixels) {
        return of(DType.UINT8, new int[] {height, width, channels}, pixels).as(FieldKind.IMAGE);
    }

    /**
     * Takes ownership of {@code shape} and {@code data} and returns a tensor. Call {@link #as} for a field of another
     * kind.
     *
     * @throws IllegalArgumentException when the shape and the number of bytes do not agree
     */
    public static Field of(DType dtype, int[] shape, byte[] data) {
        requireBytes(dtype, shape, data.length);
        return new Field(FieldKind.TENSOR, dtype, shape, data);
    }

    /**
     * Takes ownership of {@code shape} and returns a tensor of values that lie outside the Java heap, for example in a
     * mapped file. They are copied to an array when {@link #data} is called for the first time. A stage that copies the
     * values to another place avoids this copy with {@link #stored}.
     *
     * @param values a direct buffer whose capacity is the number of bytes; its content does not change while the field
     *     exists
     * @throws IllegalArgumentException when the shape and the number of bytes do not agree
     */
    public static Field stored(DType dtype, int[] shape, ByteBuffer values) {
        return stored(dtype, shape, values, true);
    }

    /**
     * Takes ownership of {@code shape} and returns a tensor of values that lie outside the Java heap and that change when
     * the transform that sets the field gets its next sample, for example in memory that is shared with another process.
     *
     * @param values a direct buffer whose capacity is the number of bytes
     * @throws IllegalArgumentException when the shape and the number of bytes do not agree
     */
    public static Field passing(DType dtype, int[] shape, ByteBuffer values) {
        return stored(dtype, shape, values, false);
    }

    private static Field stored(DType dtype, int[] shape, ByteBuffer values, boolean lasting) {
        if (!values.isDirect()) {
            throw new IllegalArgumentException("stored values lie outside the Java heap, found " + values);
        }
        requireBytes(dtype, shape, values.capacity());
        return new Field(FieldKind.TENSOR, dtype, shape, null, values, lasting, null, null);
    }

    private static void requireBytes(DType dtype, int[] shape, int found) {
        long expected = dtype.bytes();
        for (int extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("negative extent in shape " + Arrays.toString(shape));
            }
            expected *= extent;
        }
        if (expected != found) {
            throw new IllegalArgumentException("shape " + Arrays.toString(shape) + " of " + dtype + " needs " + expected
                    + " bytes, found " + found);
        }
    }

    /** Returns the same values as a field of the given kind. */
    public Field as(FieldKind kind) {
        return this.kind == kind ? this : new Field(kind, dtype, shape, data, stored, lasting, null, annotation);
    }

    /**
     * Takes ownership of {@code extents} and returns the same values as an array of this shape.
     *
     * @throws IllegalArgumentException when the shape has another number of bytes
     */
    public Field shaped(int[] extents) {
        requireBytes(dtype, extents, bytes());
        return new Field(kind, dtype, extents, data, stored, lasting, null, annotation);
    }

    /** Returns the same values with another meaning for the geometry of pictures; null for none. */
    public Field annotated(@Nullable Annotation annotation) {
        return new Field(kind, dtype, shape, data, stored, lasting, expected, annotation);
    }

    /** Returns what the values mean for the geometry of pictures; null for nothing. */
    public @Nullable Annotation annotation() {
        return annotation;
    }

    /** Returns the content that {@linkplain #unrecognized unrecognised} bytes should have; null for all other fields. */
    public @Nullable Expected expected() {
        return expected;
    }

    /** Returns the meaning of the values. */
    public FieldKind kind() {
        return kind;
    }

    public DType dtype() {
        return dtype;
    }

    /** Returns the extents, outermost first. The caller must not change the array. */
    public int[] shape() {
        return shape;
    }

    /** Returns the field's own bytes, not a copy. Stored values are copied to an array first. */
    public byte[] data() {
        byte[] bytes = data;
        if (bytes == null) {
            bytes = copied();
            data = bytes;
            stored = null; // a transform may change the array
        }
        return bytes;
    }

    private byte[] copied() {
        ByteBuffer from = stored;
        if (from == null) {
            throw new IllegalStateException("the field has no values");
        }
        byte[] bytes = new byte[from.capacity()];
        from.get(0, bytes);
        return bytes;
    }

    /**
     * Returns the values where they are stored, outside the Java heap; null when they lie in the array that {@link
     * #data} returns. The buffer begins at 0, has {@link #bytes} bytes, and must not be changed.
     */
    public @Nullable ByteBuffer stored() {
        return stored;
    }

    /**
     * Returns whether {@link #stored} values stay the same while the field exists. Otherwise they are valid until the
     * transform that set the field gets its next sample, and code that keeps the sample longer copies them.
     */
    public boolean lasting() {
        return lasting;
    }

    /**
     * Returns the same values in a place that no transform writes to: an array of the field's own, or stored values that {@linkplain
     * #lasting last}.
     */
    Field kept() {
        ByteBuffer from = stored;
        byte[] bytes = data;
        if (from != null && lasting) {
            return this;
        }
        byte[] own = bytes == null ? copied() : bytes.clone();
        return new Field(kind, dtype, shape, own, null, true, expected, annotation);
    }

    /** Returns the number of bytes of the values. */
    public int bytes() {
        ByteBuffer from = stored;
        return from == null ? data().length : from.capacity();
    }

    /** Returns the rows of an image. */
    public int height() {
        return shape[0];
    }

    /** Returns the columns of an image. */
    public int width() {
        return shape[1];
    }

    /** Returns the channels of an image, 1 or 3. */
    public int channels() {
        return shape[2];
    }

    @Override
    public String toString() {
        if (kind == FieldKind.TEXT) {
            return "text of " + bytes() + " bytes";
        }
        return (kind == FieldKind.MASK ? "mask " : "") + dtype + Arrays.toString(shape);
    }
}
