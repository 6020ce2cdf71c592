package io.millrace.transform;

import io.millrace.order.SampleRandom;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The place of a transform in a running job, for transforms that depend on it. */
public final class TransformContext {
    private final int slot;
    private final long seed;
    private final @Nullable FollowingTransform following;

    /**
     * Creates the context of one instance of a transform.
     *
     * @param slot the number of the stage's parallel task, from 0
     * @param seed the seed of the run
     * @param following the transform directly after this one; null when there is none
     */
    TransformContext(int slot, long seed, @Nullable FollowingTransform following) {
        this.slot = slot;
        this.seed = seed;
        this.following = following;
    }

    /**
     * Returns the number of the task slot that runs this instance, from 0 to the stage's parallelism - 1. The result
     * for a sample must not depend on it.
     */
    public int slot() {
        return slot;
    }

    /** Returns the look-ahead to the stage directly after this one, if that stage is {@link Cropping}. */
    Optional<LookAhead> lookAhead() {
        // Created outside of a job first: in a job, a transform may start a process.
        if (following == null || !(following.transform().create() instanceof Cropping)) {
            return Optional.empty();
        }
        TransformContext context = new TransformContext(slot, seed, following.next());
        Cropping next = (Cropping) following.transform().create(context);
        return Optional.of(new LookAhead(next, random(following), following.sameTask()));
    }

    /** Returns the flip directly after this stage if it is horizontal and works in the same task; otherwise null. */
    @Nullable
    FlipAhead flipAhead() {
        return following != null
                        && following.sameTask()
                        && following.transform().name().equals(RandomFlip.HORIZONTAL)
                ? new FlipAhead(FlipDraw.of(following.transform().options()), random(following))
                : null;
    }

    private SampleRandom random(FollowingTransform stage) {
        return new SampleRandom(seed, stage.stageNumber());
    }
}
