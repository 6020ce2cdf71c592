package io.millrace.transform;

import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.transform.Cropping.NeededPart;
import java.util.Optional;

/**
 * An advance computation of the part of a picture that the stage after {@code decode} will use. That part is a function of the
 * seed, the stage's number, the epoch, the sample's index and the picture's size, which are known before decoding. Serves one
 * thread.
 *
 * @param next another instance of the next stage's transform, with the same options
 * @param random random numbers with the seed and the stage number of the next stage
 * @param mayResize whether {@code decode} may also do the resize of the next stage. In another task, the resize stays there, so that
 *     each task does its own work.
 */
record LookAhead(Cropping next, SampleRandom random, boolean mayResize) {
    /**
     * Returns the part that the next stage will use of this sample's pictures, if it can state it in advance.
     *
     * @param height the rows of the sample's pictures
     * @param width the columns of the sample's pictures
     */
    Optional<NeededPart> neededPart(Sample sample, int height, int width) {
        return next.neededPart(sample, height, width, random.reset(sample.epoch(), sample.index()));
    }
}
