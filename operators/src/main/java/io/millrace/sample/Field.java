package io.millrace.sample;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One value of a sample: a dense row-major array, or the bytes of an encoded image.
 *
 * <p>Images are {@code [height, width, channels]} (HWC). The field owns its array: code that hands an array over keeps
 * no reference to it. Transforms replace fields, and may write into the array of a field that they replace.
 */
public final class Field {
    private final FieldKind kind;
    private final DType dtype;
    private final int[] shape;
    private final byte[] data;
    private final @Nullable ImagePart part;

    private Field(FieldKind kind, DType dtype, int[] shape, byte[] data) {
        this(kind, dtype, shape, data, null);
    }

    private Field(FieldKind kind, DType dtype, int[] shape, byte[] data, @Nullable ImagePart part) {
        this.kind = kind;
        this.dtype = dtype;
        this.shape = shape;
        this.data = data;
        this.part = part;
    }

    /**
     * Takes ownership of {@code bytes}, the content of a file in some image format, and returns a field that holds it.
     */
    public static Field encoded(byte[] bytes) {
        return new Field(FieldKind.IMAGE, DType.ENCODED, new int[] {bytes.length}, bytes);
    }

    /**
     * Takes ownership of {@code utf8}, a text whose length differs from sample to sample, and returns a field that
     * holds it.
     */
    public static Field text(byte[] utf8) {
        return new Field(FieldKind.RAGGED, DType.UINT8, new int[] {utf8.length}, utf8);
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
        long expected = dtype.bytes();
        for (int extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("negative extent in shape " + Arrays.toString(shape));
            }
            expected *= extent;
        }
        if (expected != data.length) {
            throw new IllegalArgumentException("shape " + Arrays.toString(shape) + " of " + dtype + " needs " + expected
                    + " bytes, found " + data.length);
        }
        return new Field(FieldKind.TENSOR, dtype, shape, data);
    }

    /** Returns the same array as a field of the given kind. */
    public Field as(FieldKind kind) {
        return this.kind == kind ? this : new Field(kind, dtype, shape, data, part);
    }

    /**
     * Returns a field with the same array that is marked as a part of a larger image. Only the stage that cuts this
     * part out may use the field, because that stage needs the size of the whole image, but no pixels outside the
     * part.
     */
    public Field part(ImagePart of) {
        return new Field(kind, dtype, shape, data, of);
    }

    /** Returns a field with the same array that is no longer marked as a part. */
    public Field whole() {
        return new Field(kind, dtype, shape, data);
    }

    /** Returns the part of the image that the pixels show, or null when they show the whole image. */
    public @Nullable ImagePart imagePart() {
        return part;
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

    /** Returns the field's own bytes, not a copy. */
    public byte[] data() {
        return data;
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
        return (kind == FieldKind.MASK ? "mask " : "")
                + dtype
                + Arrays.toString(shape)
                + (part == null ? "" : " of " + part);
    }
}
