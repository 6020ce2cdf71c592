package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Window;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pictures of a sample as one transform sees them: its images, and its masks, which geometry changes alike. Serves
 * one transform, so one thread: it keeps the arrays of the sample before, which has left the chain by now (see
 * {@link Transform}), for the results of the next.
 */
final class ImageFields {
    private static final byte[] NONE = {};

    private final String transform;
    private byte[][] spare = new byte[1][0];

    /** The pictures as {@code transform} sees them; its name is for messages. */
    ImageFields(String transform) {
        this.transform = transform;
    }

    /** Rows and columns, both at least 1. */
    record Extent(int height, int width) {}

    /** What becomes of one rectangle of a picture. */
    @FunctionalInterface
    interface CropChange {
        /**
         * Makes a picture of a rectangle.
         *
         * @param picture pixels that hold the rectangle, as far as it lies within the picture at all
         * @param crop in the coordinates of these pixels
         * @param spare an array that the result may use when its length is just right
         */
        Field apply(Field picture, Crop crop, byte[] spare) throws BadSampleException;
    }

    /** What becomes of one picture. */
    @FunctionalInterface
    interface Change {
        /**
         * Changes a picture in place, or makes another.
         *
         * @param spare an array that the result may use when its length is just right
         * @return what takes the picture's place; of the same kind when it comes from {@link Field#image}
         */
        Field apply(Field picture, byte[] spare) throws BadSampleException;
    }

    /**
     * The size that all images and masks have, or had before {@code decode} left out what is not needed of them.
     *
     * @throws IllegalStateException when one is still encoded, or there is none: the pipeline is wrong, not the sample
     * @throws BadSampleException when one is no picture, or their sizes differ
     */
    Extent extent(Sample sample) throws BadSampleException {
        Field first = null;
        String firstName = "";
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            Field field = picture(sample, names.get(i));
            if (field == null) {
                continue;
            }
            if (first == null) {
                first = field;
                firstName = names.get(i);
            } else if (!extentOf(first).equals(extentOf(field))) {
                throw malformed(
                        sample,
                        transform + " expected images and masks of one size, found '" + firstName + "' " + first
                                + " and '" + names.get(i) + "' " + field);
            }
        }
        if (first == null) {
            throw new IllegalStateException(transform + " works on images, but sample " + sample.key()
                    + " has none, only " + sample.fieldNames());
        }
        return extentOf(first);
    }

    /**
     * Makes new images and masks of one rectangle of each: for transforms that are {@link Cropping}.
     *
     * @param crop in the coordinates of pictures of the size that {@link #extent} told; may reach beyond them
     */
    void changeCrop(Sample sample, Crop crop, CropChange change) throws BadSampleException {
        List<String> names = sample.fieldNames();
        int ordinal = 0;
        for (int i = 0; i < names.size(); i++) {
            Field field = picture(sample, names.get(i));
            if (field == null) {
                continue;
            }
            Window window = field.window();
            Crop within = window == null ? crop : PartialPicture.within(window, field, crop);
            Field changed = change.apply(field, within, spare(ordinal));
            spare[ordinal++] = changed.data();
            sample.put(names.get(i), changed.as(field.kind()));
        }
    }

    /** Changes all images and masks. */
    void changeAll(Sample sample, Change change) throws BadSampleException {
        change(sample, change, true);
    }

    /** Changes the images and leaves the masks. */
    void changeImages(Sample sample, Change change) throws BadSampleException {
        change(sample, change, false);
    }

    private void change(Sample sample, Change change, boolean masks) throws BadSampleException {
        List<String> names = sample.fieldNames();
        int ordinal = 0;
        for (int i = 0; i < names.size(); i++) {
            Field field = picture(sample, names.get(i));
            if (field == null || (!masks && field.kind() == FieldKind.MASK)) {
                continue;
            }
            if (field.window() != null) {
                throw new IllegalStateException(transform + " needs whole pictures, but '" + names.get(i) + "' of "
                        + sample.key() + " was decoded in part, for another stage: " + field);
            }
            Field changed = change.apply(field, spare(ordinal));
            if (changed != field) {
                spare[ordinal] = changed.data();
                sample.put(names.get(i), changed.as(field.kind()));
            }
            ordinal++;
        }
    }

    private byte[] spare(int ordinal) {
        if (ordinal == spare.length) {
            spare = Arrays.copyOf(spare, ordinal + 1);
            spare[ordinal] = NONE;
        }
        return spare[ordinal];
    }

    private static Extent extentOf(Field picture) {
        Window window = picture.window();
        return window == null
                ? new Extent(picture.height(), picture.width())
                : new Extent(window.pictureHeight(), window.pictureWidth());
    }

    private @Nullable Field picture(Sample sample, String name) throws BadSampleException {
        Field field = sample.field(name);
        if (field.kind() != FieldKind.IMAGE && field.kind() != FieldKind.MASK) {
            return null;
        }
        if (field.dtype() == DType.ENCODED) {
            throw new IllegalStateException(transform + " works on pixels, but '" + name + "' of " + sample.key()
                    + " is still encoded: 'decode' is missing before " + transform);
        }
        boolean usable = field.dtype() == DType.UINT8
                && field.shape().length == 3
                && (field.channels() == 1 || (field.channels() == 3 && field.kind() == FieldKind.IMAGE))
                && field.height() > 0
                && field.width() > 0;
        if (!usable) {
            throw malformed(
                    sample,
                    transform + " expected a uint8 image [height, width, 1 or 3] in '" + name + "', found " + field);
        }
        return field;
    }

    /** A sample that this transform cannot use. */
    static BadSampleException malformed(Sample sample, String reason) {
        return new BadSampleException(sample.key(), -1, reason);
    }
}
