package io.millrace.preview;

import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;

/** Brings images to a size at which a person sees them: large ones shrunk, small ones in blocks. For one thread. */
final class Thumbnail {
    /** The longest edge of what is shown, in pixels. */
    static final int LONGEST_EDGE = 224;

    private final Resampler shrinking = new Resampler(Interpolation.BILINEAR);
    private final Resampler growing = new Resampler(Interpolation.NEAREST);

    /** The image itself, shrunk to {@link #LONGEST_EDGE}, or each pixel as a block of equal ones; masks in colours. */
    Field of(Field picture) {
        boolean mask = picture.kind() == FieldKind.MASK;
        Field image = mask ? MaskColors.of(picture) : picture;
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
