package io.millrace.transform;

import io.millrace.image.ColumnOrder;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;

/**
 * An advance decision of the horizontal flip that directly follows a resize in the same task. The resize then writes its
 * columns in the opposite order, which costs nothing. Serves one thread.
 */
final class FlipAhead {
    private final FlipDraw draw;
    private final SampleRandom random;

    /**
     * Creates the decision for a flip.
     *
     * @param random random numbers with the seed and the stage number of the flip
     */
    FlipAhead(FlipDraw draw, SampleRandom random) {
        this.draw = draw;
        this.random = random;
    }

    /** Returns the order of columns after the flip. */
    ColumnOrder columns(Sample sample) {
        return draw.draw(random.reset(sample.epoch(), sample.index())) ? ColumnOrder.MIRRORED : ColumnOrder.AS_STORED;
    }
}
