package io.millrace.transform;

import io.millrace.image.ColumnOrder;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.Optional;

/**
 * A transform that computes its result from one rectangle of a picture, and that can compute the place of this rectangle before
 * it has the pixels. When it directly follows {@code decode}, only that rectangle is decoded. It accesses pictures through
 * {@link ImageFields#changeCrop}, which accepts whole pictures and partly decoded ones.
 */
public interface Cropping extends Transform {
    /**
     * Returns the part of a picture that {@link #apply} will use, for pictures of a given size.
     *
     * @param sample the sample, whose pictures are not decoded yet
     * @param height the rows of the pictures
     * @param width the columns of the pictures
     * @param random the same random numbers that {@code apply} will get
     * @return the part; empty where it is not known in advance, or where {@code apply} will refuse the sample
     */
    Optional<NeededPart> neededPart(Sample sample, int height, int width, SampleRandom random);

    /**
     * A rectangle of a picture and the result.
     *
     * @param crop the rectangle, which may reach beyond the picture
     * @param result the size of the result, and the order of its columns
     * @param interpolation the interpolation of images, if the stage resizes the rectangle with a {@link io.millrace.image.Resampler}; {@code
     *     decode} may then do this for it
     */
    record NeededPart(Crop crop, Resampler.Result result, Optional<Interpolation> interpolation) {
        /** Returns a rectangle that is not resized. */
        public static NeededPart asIs(Crop crop) {
            return new NeededPart(
                    crop, new Resampler.Result(crop.height(), crop.width(), ColumnOrder.AS_STORED), Optional.empty());
        }
    }
}
