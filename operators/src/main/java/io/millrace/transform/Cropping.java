package io.millrace.transform;

import io.millrace.image.Crop;
import io.millrace.order.SampleRandom;
import java.util.Optional;

/**
 * A transform that makes its result of one rectangle of a picture, and can tell which before it sees a pixel. When it
 * follows {@code decode} directly, only that rectangle is decoded: see {@link LookAhead}. It gets its pictures through
 * {@link ImageFields#changeCrop}, which takes whole ones and such parts alike.
 */
interface Cropping extends Transform {
    /**
     * What {@link #apply} will take of pictures of that size.
     *
     * @param random as it will be for {@code apply}
     * @return empty where that cannot be told, or where {@code apply} will refuse the sample
     */
    Optional<Taken> taken(int height, int width, SampleRandom random);

    /**
     * A rectangle and what becomes of it.
     *
     * @param crop may reach beyond the picture
     * @param height rows after resizing; the crop's when it is not resized
     * @param width columns after resizing
     */
    record Taken(Crop crop, int height, int width) {
        /** A rectangle that is not resized. */
        static Taken asIs(Crop crop) {
            return new Taken(crop, crop.height(), crop.width());
        }
    }
}
