package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;

/** What every image transform asks of its sample. */
final class Images {
    private Images() {}

    /**
     * The sample's image as pixels.
     *
     * @throws IllegalStateException when it is still encoded: the pipeline is wrong, not the sample
     * @throws MalformedSampleException when it is no uint8 image of 1 or 3 channels, or has no pixels
     */
    static Field pixels(Sample sample, String transform) throws MalformedSampleException {
        Field image = sample.image();
        if (image.dtype() == DType.ENCODED) {
            throw new IllegalStateException(transform + " works on pixels, but the image of " + sample.key()
                    + " is still encoded: 'decode' is missing before " + transform);
        }
        if (image.window() != null) {
            throw new IllegalStateException(transform + " needs whole pictures, but the image of " + sample.key()
                    + " was decoded in part, for another stage: " + image);
        }
        boolean usable = image.dtype() == DType.UINT8
                && image.shape().length == 3
                && (image.channels() == 1 || image.channels() == 3)
                && image.height() > 0
                && image.width() > 0;
        if (!usable) {
            throw malformed(sample, transform + " expected a uint8 image [height, width, 1 or 3], found " + image);
        }
        return image;
    }

    /** A sample that this transform cannot use. */
    static MalformedSampleException malformed(Sample sample, String reason) {
        return new MalformedSampleException(sample.key(), -1, reason);
    }
}
