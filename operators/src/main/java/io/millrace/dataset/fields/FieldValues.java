package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Expected;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Arrays;

/**
 * Conversion of stored values to fields, the same for all formats. The result depends on {@link FieldSource.As}:
 *
 * <ul>
 *   <li>Bytes become an encoded image or sound where they begin like one, and otherwise ragged bytes that remember what
 *       {@code decode} {@linkplain Expected expects} in them. With
 *       {@code image} and {@code mask} they become an encoded picture in any case. With {@code tensor} they become
 *       uint8 of that length. With {@code ragged} they become a sound of any length, or ragged bytes. With {@code text}
 *       they become text, and other bytes than UTF-8 are refused.
 *   <li>Text becomes text. With {@code ragged} and {@code tensor} it becomes the bytes of its UTF-8.
 *   <li>Numbers become a tensor. With the name {@code image}, numbers of the form uint8 [height, width] or [height,
 *       width, 1 or 3] become a picture. With {@code ragged} the first extent may differ from sample to sample.
 * </ul>
 */
public final class FieldValues {
    private static final int RGB = 3;

    private FieldValues() {}

    /** Takes ownership of {@code value}, the content of a file or of a binary column, and returns its field. */
    public static Field bytes(FieldSource source, byte[] value, ValuePlace place) throws BadSampleException {
        return bytes(source, source.name().equals(Sample.IMAGE) ? Expected.IMAGE : Expected.ANY, value, place);
    }

    /**
     * Takes ownership of {@code value}, the content of a file or of a binary column, and returns its field.
     *
     * @param expected the content that the source states; it counts only where {@link FieldSource#as} leaves the content open
     */
    public static Field bytes(FieldSource source, Expected expected, byte[] value, ValuePlace place)
            throws BadSampleException {
        if (source.annotation() != null && source.annotation().ids() == null) {
            boolean picture = FileMagic.isImage(value);
            requireNumbers(
                    source,
                    picture ? "an image; a picture of ids needs as: {masks: ids}" : value.length + " bytes",
                    place);
        }
        return switch (source.as()) {
            case AUTO -> {
                if (FileMagic.isSound(value)) {
                    yield Field.encoded(value).as(FieldKind.TENSOR);
                }
                yield FileMagic.isImage(value) ? Field.encoded(value) : Field.unrecognized(value, expected);
            }
            case IMAGE -> encoded(source, value, place);
            case MASK ->
                source.annotation() == null
                        ? encoded(source, value, place).as(FieldKind.MASK)
                        : encoded(source, value, place).as(FieldKind.RAGGED).annotated(source.annotation());
            case TENSOR -> Field.of(DType.UINT8, new int[] {value.length}, value);
            case RAGGED -> {
                if (FileMagic.isSound(value)) {
                    yield Field.encoded(value).as(FieldKind.RAGGED);
                }
                yield Field.unrecognized(value, expected == Expected.IMAGE ? Expected.ANY : expected);
            }
            case TEXT -> {
                requireText(source, value, place);
                yield Field.text(value);
            }
        };
    }

    /** Refuses bytes as boxes, points or values of boxes. */
    private static void requireNumbers(FieldSource source, String found, ValuePlace place) throws BadSampleException {
        if (source.annotation() != null) {
            throw place.badSample(
                    "expected " + source.annotation().describe() + " as '" + source.from() + "', found " + found);
        }
    }

    private static Field encoded(FieldSource source, byte[] value, ValuePlace place) throws BadSampleException {
        if (value.length == 0) {
            throw place.badSample("expected an image as '" + source.from() + "', found 0 bytes");
        }
        return Field.encoded(value);
    }

    private static void requireText(FieldSource source, byte[] value, ValuePlace place) throws BadSampleException {
        if (Utf8.firstBad(value, 0) >= 0) {
            throw place.badSample("expected text in UTF-8 as '" + source.from() + "', found other bytes");
        }
    }

    /** Returns the field of a text as {@link #text} does, after a check that it is UTF-8, which files may claim without being it. */
    public static Field checkedText(FieldSource source, byte[] utf8, ValuePlace place) throws BadSampleException {
        requireText(source, utf8, place);
        return text(source, utf8, place);
    }

    /** Takes ownership of {@code utf8}, which the format stores as text, and returns its field. */
    public static Field text(FieldSource source, byte[] utf8, ValuePlace place) throws BadSampleException {
        requireNumbers(source, "text", place);
        return switch (source.as()) {
            case AUTO, TEXT -> Field.text(utf8);
            case RAGGED -> Field.text(utf8).as(FieldKind.RAGGED);
            case TENSOR -> Field.of(DType.UINT8, new int[] {utf8.length}, utf8);
            case IMAGE, MASK -> throw wrongKind(source, "text", place);
        };
    }

    /**
     * Takes ownership of {@code shape} and {@code data} and returns the field of these numbers, row-major and
     * little-endian. A scalar has no extents.
     *
     * @throws IllegalArgumentException when the shape and the number of bytes do not agree
     */
    public static Field numbers(FieldSource source, DType dtype, int[] shape, byte[] data, ValuePlace place)
            throws BadSampleException {
        return numbers(source, Field.of(dtype, shape, data), place);
    }

    /** Returns the field of the numbers of a tensor; see {@link #numbers(FieldSource, DType, int[], byte[], ValuePlace)}. */
    public static Field numbers(FieldSource source, Field tensor, ValuePlace place) throws BadSampleException {
        DType dtype = tensor.dtype();
        int[] shape = tensor.shape();
        return switch (source.as()) {
            case AUTO ->
                source.name().equals(Sample.IMAGE) && isPicture(dtype, shape)
                        ? picture(tensor, FieldKind.IMAGE)
                        : tensor;
            case IMAGE -> {
                if (!isPicture(dtype, shape)) {
                    throw wrongKind(source, describe(dtype, shape), place);
                }
                yield picture(tensor, FieldKind.IMAGE);
            }
            case MASK -> {
                if (source.annotation() != null) {
                    yield ObjectIds.masks(tensor, source.annotation(), source.from(), place);
                }
                boolean one = shape.length == 2 || (shape.length == 3 && shape[2] == 1);
                if (!one || tensor.bytes() == 0) {
                    throw wrongKind(source, describe(dtype, shape), place);
                }
                yield picture(tensor, FieldKind.MASK);
            }
            case TENSOR -> tensor;
            case RAGGED -> {
                if (shape.length == 0) {
                    throw wrongKind(source, describe(dtype, shape), place);
                }
                yield AnnotationType.annotated(source, tensor.as(FieldKind.RAGGED), place);
            }
            case TEXT -> throw wrongKind(source, describe(dtype, shape), place);
        };
    }

    private static boolean isPicture(DType dtype, int[] shape) {
        boolean channels = shape.length == 2 || (shape.length == 3 && (shape[2] == 1 || shape[2] == RGB));
        return dtype == DType.UINT8 && channels && shape[0] > 0 && shape[1] > 0;
    }

    private static Field picture(Field tensor, FieldKind kind) {
        int[] shape = tensor.shape();
        return (shape.length == 2 ? tensor.shaped(new int[] {shape[0], shape[1], 1}) : tensor).as(kind);
    }

    private static BadSampleException wrongKind(FieldSource source, String found, ValuePlace place) {
        String expected =
                switch (source.as()) {
                    case IMAGE -> "an image (encoded, or uint8 [height, width] or [height, width, 1 or 3])";
                    case MASK -> "a mask (an encoded image, or numbers [height, width] or [height, width, 1])";
                    case RAGGED -> "numbers with at least one extent";
                    case TEXT -> "text";
                    case AUTO, TENSOR -> "numbers";
                };
        return place.badSample("expected " + expected + " as '" + source.from() + "', found " + found);
    }

    private static String describe(DType dtype, int[] shape) {
        return dtype.name().toLowerCase(java.util.Locale.ROOT) + " " + Arrays.toString(shape);
    }
}
