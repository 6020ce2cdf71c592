package io.millrace.transform;

import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.transform.Cropping.Taken;
import java.util.Optional;

/**
 * Lets {@code decode} know what the stage behind it will take of a picture. That is a function of the seed, the stage's
 * number, the epoch, the sample's index and the picture's size, all of which are known before a pixel is. Serves one thread.
 */
final class LookAhead {
    private final Cropping next;
    private final SampleRandom random;

    /**
     * For the stage behind.
     *
     * @param next an instance of its own, with the same options
     * @param random of the same seed and stage number
     */
    LookAhead(Cropping next, SampleRandom random) {
        this.next = next;
        this.random = random;
    }

    /** What the stage behind will take of this sample's pictures, if they have that size and it can tell. */
    Optional<Taken> taken(Sample sample, int height, int width) {
        return next.taken(height, width, random.reset(sample.epoch(), sample.index()));
    }
}
