package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.ImagePart;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Access to the pictures of a sample, which are its images and masks. A transform changes images and masks alike with {@link
 * #changeAll} (geometry: flips, rotations), or the images alone with {@link #changeImages} (colours). Both check that the
 * fields are decoded pictures, and report a bad sample otherwise.
 *
 * <p>A transform creates one instance for itself and uses it for all of its samples, in one thread. The instance keeps the
 * arrays that the transform made for one sample and offers them for the next one: by then the earlier sample has left the
 * chain (see {@link Transform}).
 *
 * <p>Tested by {@code AugmenterTest}.
 */
public final class ImageFields {
    private static final byte[] NONE = {};

    private final String transform;
    private byte[][] spare = new byte[1][0];

    /**
     * Creates the access for one transform.
     *
     * @param transform the name of the transform, for messages
     */
    public ImageFields(String transform) {
        this.transform = transform;
    }

    /**
     * The size of a picture.
     *
     * @param height the number of rows, at least 1
     * @param width the number of columns, at least 1
     */
    public record Extent(int height, int width) {}

    /** A change that makes a picture from one rectangle of another picture. */
    @FunctionalInterface
    public interface CropChange {
        /**
         * Makes a picture from a rectangle.
         *
         * @param picture pixels that contain the rectangle, as far as it lies within the whole picture
         * @param crop the rectangle, in the coordinates of {@code picture}; it may reach beyond the edges
         * @param spare an array that the result may use if its length is exactly right
         * @return the new picture
         * @throws BadSampleException when the sample is bad: it will be quarantined
         */
        Field apply(Field picture, Crop crop, byte[] spare) throws BadSampleException;
    }

    /** A change of one picture. */
    @FunctionalInterface
    public interface Change {
        /**
         * Changes a picture in place, or makes another one.
         *
         * @param picture uint8 pixels [height, width, channels]; its {@link Field#kind} distinguishes images from masks
         * @param spare an array that the result may use if its length is exactly right
         * @return {@code picture} itself, or the picture that replaces it; a new one from {@link Field#image} gets the kind
         *     of the picture that it replaces
         * @throws BadSampleException when the sample is bad: it will be quarantined
         */
        Field apply(Field picture, byte[] spare) throws BadSampleException;
    }

    /**
     * Returns the size that all images and masks of a sample have. Where {@code decode} left out a part that the next stage
     * does not need, this is the size of the whole picture.
     *
     * @throws IllegalStateException when a picture is still encoded, or no sample can have one: the pipeline is wrong, not the
     *     sample
     * @throws BadSampleException when an image or mask has another type or shape than a picture, when the sizes differ, or when
     *     this sample lacks a picture
     */
    public Extent extent(Sample sample) throws BadSampleException {
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
            } else if (!ImagePart.in(sample) && !extentOf(first).equals(extentOf(field))) {
                throw badSample(
                        sample,
                        transform + " expected images and masks of one size, found '" + firstName + "' " + first
                                + " and '" + names.get(i) + "' " + field);
            }
        }
        if (first == null) {
            throw MissingContent.noPicture(sample, transform);
        }
        List<ImagePart> parts = ImagePart.of(sample);
        Extent extent = parts.isEmpty()
                ? extentOf(first)
                : new Extent(parts.get(0).imageHeight(), parts.get(0).imageWidth());
        InstanceMasks.require(sample, extent, transform);
        return extent;
    }

    /**
     * Replaces all images and masks by pictures that are made from one rectangle of each. {@link Cropping} transforms use
     * it, because it accepts whole pictures and partly decoded ones.
     *
     * <p>Pictures that {@code decode} has already resized for this stage stay as they are.
     *
     * @param part the rectangle, in the coordinates of pictures of size {@link #extent}, as {@link Cropping#neededPart} returns
     *     it
     * @throws BadSampleException when the sample is bad
     */
    public void changeCrop(Sample sample, Cropping.NeededPart part, CropChange change) throws BadSampleException {
        Iterator<ImagePart> parts = ImagePart.of(sample).iterator();
        ImagePart.remove(sample);
        List<String> names = sample.fieldNames();
        int ordinal = 0;
        for (int i = 0; i < names.size(); i++) {
            Field field = picture(sample, names.get(i));
            if (field == null) {
                continue;
            }
            ImagePart decoded = parts.hasNext() ? parts.next() : null;
            Crop within = decoded == null ? part.crop() : PartialPicture.within(decoded, field, part.crop());
            if (decoded != null && PartialPicture.isResized(decoded, field, part)) {
                // The array stays decode's own, so it is no spare of this transform.
                continue;
            }
            Field changed = change.apply(field, within, spare(ordinal));
            spare[ordinal++] = changed.data();
            sample.put(names.get(i), changed.as(field.kind()));
        }
        InstanceMasks.change(sample, mask -> change.apply(mask, part.crop(), NONE));
    }

    /**
     * Changes all images and masks of a sample.
     *
     * @throws IllegalStateException when a picture is still encoded: the pipeline is wrong, not the sample
     * @throws BadSampleException when an image or mask has another type or shape than a picture, or the change throws it
     */
    public void changeAll(Sample sample, Change change) throws BadSampleException {
        change(sample, change, true);
    }

    /**
     * Changes the images of a sample and leaves its masks as they are.
     *
     * @throws IllegalStateException when a picture is still encoded: the pipeline is wrong, not the sample
     * @throws BadSampleException when an image or mask has another type or shape than a picture, or the change throws it
     */
    public void changeImages(Sample sample, Change change) throws BadSampleException {
        change(sample, change, false);
    }

    private void change(Sample sample, Change change, boolean masks) throws BadSampleException {
        if (ImagePart.in(sample)) {
            throw new IllegalStateException(transform + " needs whole images, but those of " + sample.key()
                    + " were decoded in part, for another stage: " + ImagePart.of(sample));
        }
        List<String> names = sample.fieldNames();
        int ordinal = 0;
        for (int i = 0; i < names.size(); i++) {
            Field field = picture(sample, names.get(i));
            if (field == null || (!masks && field.kind() == FieldKind.MASK)) {
                continue;
            }
            Field changed = change.apply(field, spare(ordinal));
            if (changed != field) {
                spare[ordinal] = changed.data();
                sample.put(names.get(i), changed.as(field.kind()));
            }
            ordinal++;
        }
        if (masks) {
            InstanceMasks.change(sample, mask -> change.apply(mask, NONE));
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
        return new Extent(picture.height(), picture.width());
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
            throw badSample(
                    sample,
                    transform + " expected a uint8 image [height, width, 1 or 3] in '" + name + "', found " + field);
        }
        return field;
    }

    /** Returns the exception for a sample that a transform cannot use. */
    static BadSampleException badSample(Sample sample, String reason) {
        return new BadSampleException(sample.key(), -1, reason);
    }
}
