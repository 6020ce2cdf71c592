package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageDecoder;
import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.DType;
import io.millrace.sample.Expected;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;

/**
 * The images and masks of one sample that are still encoded. All of them are checked for damage before {@code decode}
 * decodes the first. Serves one thread, one sample at a time.
 *
 * <p>Tested by {@code DecodeTest}.
 */
final class EncodedPictures {
    private final ImageDecoder decoder;
    private final List<String> names = new ArrayList<>();
    private final List<CheckedImage> images = new ArrayList<>();
    private boolean othersDecoded;

    EncodedPictures(ImageDecoder decoder) {
        this.decoder = decoder;
    }

    /**
     * Finds and checks the encoded pictures of a sample, and discards the results for the previous one.
     *
     * @param sample the next sample
     * @throws BadSampleException when a picture is damaged, or a field that should be a picture begins like none
     */
    void check(Sample sample) throws BadSampleException {
        names.clear();
        images.clear();
        othersDecoded = false;
        List<String> all = sample.fieldNames();
        for (int i = 0; i < all.size(); i++) {
            Field field = sample.field(all.get(i));
            if (field.expected() == Expected.IMAGE) {
                field = recognized(sample, all.get(i), field.data());
            }
            if (field.kind() == FieldKind.IMAGE || field.kind() == FieldKind.MASK) {
                if (field.dtype() == DType.ENCODED) {
                    images.add(check(sample, field));
                    names.add(all.get(i));
                } else {
                    othersDecoded = true;
                }
            }
        }
    }

    /** Puts the bytes into the sample as an encoded image if they begin like one of any kind, however short it is. */
    private static Field recognized(Sample sample, String name, byte[] bytes) throws BadSampleException {
        try {
            ImageFormat.of(bytes);
        } catch (MalformedImageException e) {
            throw MissingContent.unlike(sample, name, Expected.IMAGE);
        }
        Field encoded = Field.encoded(bytes);
        sample.put(name, encoded);
        return encoded;
    }

    /** Returns whether the sample has images or masks, encoded or not. */
    boolean any() {
        return othersDecoded || !images.isEmpty();
    }

    private CheckedImage check(Sample sample, Field field) throws BadSampleException {
        try {
            return decoder.check(field.data());
        } catch (MalformedImageException e) {
            throw malformed(sample, e);
        }
    }

    /** Returns the number of encoded pictures. */
    int count() {
        return images.size();
    }

    String name(int i) {
        return names.get(i);
    }

    CheckedImage image(int i) {
        return images.get(i);
    }

    /** Returns whether the sample has pictures that are already decoded. */
    boolean othersDecoded() {
        return othersDecoded;
    }

    /** Returns whether there is at least one encoded picture and all encoded pictures have one size. */
    boolean oneSize() {
        for (CheckedImage image : images) {
            if (image.height() != images.get(0).height()
                    || image.width() != images.get(0).width()) {
                return false;
            }
        }
        return !images.isEmpty();
    }

    /**
     * Returns whether one of the pictures states an orientation other than upright.
     *
     * @throws BadSampleException when a picture's orientation is damaged
     */
    boolean turned(Sample sample) throws BadSampleException {
        try {
            for (CheckedImage image : images) {
                if (image.orientation() != 1) {
                    return true;
                }
            }
            return false;
        } catch (MalformedImageException e) {
            throw malformed(sample, e);
        }
    }

    /**
     * Returns the movement of boxes and points when the first picture is turned upright.
     *
     * @throws BadSampleException when the picture's orientation is damaged
     */
    Movement turn(Sample sample) throws BadSampleException {
        return Movement.upright(orientation(sample), storedSize());
    }

    /** Returns the size of the first picture before it is turned. */
    ImageFields.Extent storedSize() {
        CheckedImage first = images.get(0);
        return new ImageFields.Extent(first.height(), first.width());
    }

    /**
     * Returns the EXIF orientation of the first picture, 1 to 8.
     *
     * @throws BadSampleException when it is damaged
     */
    int orientation(Sample sample) throws BadSampleException {
        try {
            return images.get(0).orientation();
        } catch (MalformedImageException e) {
            throw malformed(sample, e);
        }
    }

    /** Returns the exception for a sample with a malformed picture. */
    static BadSampleException malformed(Sample sample, MalformedImageException e) {
        BadSampleException malformed = new BadSampleException(sample.key(), e.offset(), e.reason());
        malformed.initCause(e);
        return malformed;
    }
}
