package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.ObjectIds;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.image.ImageDecoder;
import io.millrace.image.MaskDecoder;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.transform.ImageFields.Extent;
import java.util.List;

/**
 * The masks of the objects of a sample, bool [objects, height, width]. Geometry changes each of them as it changes a mask of class numbers,
 * except that added pixels belong to no object. {@code decode} makes them from pictures of ids. Stateless.
 */
final class InstanceMasks {
    private InstanceMasks() {}

    /** A change of one mask, uint8 [height, width, 1] of 0 and 1, that its annotation distinguishes from a mask of class numbers. */
    @FunctionalInterface
    interface Change {
        Field apply(Field mask) throws BadSampleException;
    }

    /** Returns whether a picture is the mask of one object. */
    static boolean isOne(Field picture) {
        return picture.annotation() != null;
    }

    /** Checks that the masks of a sample have the size of its pictures. */
    static void require(Sample sample, Extent size, String transform) throws BadSampleException {
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            Field field = sample.field(names.get(i));
            Annotation annotation = field.annotation();
            if (annotation == null || annotation.form() != Form.MASKS) {
                continue;
            }
            if (!annotation.suits(field.dtype(), field.shape())) {
                throw ImageFields.badSample(
                        sample,
                        transform + " expected bool " + annotation.describe() + " in '" + names.get(i) + "', found "
                                + field);
            }
            // An empty list has no size of its own.
            boolean none = field.shape()[0] == 0;
            if (!none && (field.shape()[1] != size.height() || field.shape()[2] != size.width())) {
                throw ImageFields.badSample(
                        sample,
                        transform + " expected masks of the size of the pictures, [" + size.height() + ", "
                                + size.width() + "], in '" + names.get(i) + "', found " + field);
            }
        }
    }

    private static boolean isMasks(Field field) {
        Annotation annotation = field.annotation();
        return annotation != null && annotation.form() == Form.MASKS && annotation.suits(field.dtype(), field.shape());
    }

    /** Changes the masks of all objects of a sample, whose pictures have been changed already. */
    static void change(Sample sample, Change change) throws BadSampleException {
        for (String name : List.copyOf(sample.fieldNames())) {
            Field field = sample.field(name);
            if (isMasks(field)) {
                sample.put(name, changed(sample, field, change));
            }
        }
    }

    private static Field changed(Sample sample, Field masks, Change change) throws BadSampleException {
        int height = masks.shape()[1];
        int width = masks.shape()[2];
        int count = masks.shape()[0];
        Extent size = sizeOfPictures(sample);
        int bytes = Math.multiplyExact(size.height(), size.width());
        byte[] all = new byte[Math.multiplyExact(count, bytes)];
        for (int i = 0; i < count; i++) {
            byte[] one = new byte[height * width];
            System.arraycopy(masks.data(), i * one.length, one, 0, one.length);
            Field mask = Field.image(height, width, 1, one).as(FieldKind.MASK).annotated(masks.annotation());
            System.arraycopy(change.apply(mask).data(), 0, all, i * bytes, bytes);
        }
        return Field.of(DType.BOOL, new int[] {count, size.height(), size.width()}, all)
                .as(masks.kind())
                .annotated(masks.annotation());
    }

    private static Extent sizeOfPictures(Sample sample) {
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            if (field.kind() == FieldKind.IMAGE || field.kind() == FieldKind.MASK) {
                return new Extent(field.height(), field.width());
            }
        }
        throw new IllegalStateException("a sample without pictures has been changed: " + sample);
    }

    /** Returns whether a field is an encoded picture of ids. */
    static boolean isEncoded(Field field) {
        Annotation annotation = field.annotation();
        return field.dtype() == DType.ENCODED && annotation != null && annotation.ids() != null;
    }

    /**
     * Decodes all pictures of ids of a sample.
     *
     * @return whether the sample had one
     * @throws BadSampleException when a picture is damaged, is no picture of ids, or has too many objects
     */
    static boolean decode(Sample sample, ImageDecoder decoder) throws BadSampleException {
        boolean any = false;
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Field field = sample.field(name);
            Annotation annotation = field.annotation();
            if (annotation != null && isEncoded(field)) {
                try {
                    Field ids = MaskDecoder.ids(decoder.check(field.data()));
                    sample.put(name, ObjectIds.masks(ids, annotation, name, new ValuePlace(sample.key(), -1)));
                    any = true;
                } catch (MalformedImageException e) {
                    BadSampleException malformed = new BadSampleException(
                            sample.key(), e.offset(), "the picture of ids '" + name + "': " + e.reason());
                    malformed.initCause(e);
                    throw malformed;
                }
            }
        }
        return any;
    }
}
