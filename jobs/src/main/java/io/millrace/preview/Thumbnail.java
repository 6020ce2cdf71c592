package io.millrace.preview;

import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;

/**
 * A converter of images to a visible size. Large images are shrunk, and the pixels of small images become blocks. Not
 * thread-safe.
 */
final class Thumbnail {
    /** The longest edge of a thumbnail, in pixels. */
    static final int LONGEST_EDGE = 224;

    private final Resampler shrinking = new Resampler(Interpolation.BILINEAR);
    private final Resampler growing = new Resampler(Interpolation.NEAREST);

    /** Returns the image shrunk to {@link #LONGEST_EDGE}, or with each pixel as a block of equal pixels; masks get colours. */
    Field of(Field original) {
        boolean mask = original.kind() == FieldKind.MASK;
        Field image = mask ? MaskColors.of(original) : original;
        int edge = Math.max(image.height(), image.width());
        if (edge > LONGEST_EDGE) {
            double factor = (double) LONGEST_EDGE / edge;
            return (mask ? growing : shrinking)
                    .resize(image, scaled(image.height(), factor), scaled(image.width(), factor));
        }
        int times = LONGEST_EDGE / edge;
        return times == 1 ? image : growing.resize(image, image.height() * times, image.width() * times);
    }

    private static int scaled(int extent, double factor) {
        return Math.max(1, (int) Math.round(extent * factor));
    }
}
