package io.millrace.transform;

import io.millrace.image.ColumnOrder;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The place of a transform in a running job, for transforms that depend on it. */
public final class TransformContext {
    private final int slot;
    private final int worker;
    private final long seed;
    private final Neighbors neighbors;
    private final StageChain chain;

    /**
     * Creates the context of one instance of a transform.
     *
     * @param slot the number of the stage's parallel task, from 0
     * @param seed the seed of the run
     * @param neighbors the transforms beside this one
     * @param chain what the stages of the task share
     */
    public TransformContext(int slot, long seed, Neighbors neighbors, StageChain chain) {
        this(slot, 0, seed, neighbors, chain);
    }

    /**
     * Creates the context of one of several instances in a task.
     *
     * @param worker the number of the instance in the task, from 0
     */
    TransformContext(int slot, int worker, long seed, Neighbors neighbors, StageChain chain) {
        this.slot = slot;
        this.worker = worker;
        this.seed = seed;
        this.neighbors = neighbors;
        this.chain = chain;
    }

    /**
     * Returns the number of the task slot that runs this instance, from 0 to the stage's parallelism - 1. The result
     * for a sample must not depend on it.
     */
    public int slot() {
        return slot;
    }

    /** Returns the number of this instance in its task, from 0. It is 0 where the task has only one. */
    public int worker() {
        return worker;
    }

    /** Returns the transform directly before this one, if it works in the same task. */
    public Optional<TransformSpec> precedingInTask() {
        return Optional.ofNullable(neighbors.preceding());
    }

    /** Returns the transforms behind this one that work in the same task, the next one first. */
    public List<FollowingTransform> followingInTask() {
        List<FollowingTransform> all = new ArrayList<>();
        for (FollowingTransform one = neighbors.following(); one != null && one.sameTask(); one = one.next()) {
            all.add(one);
        }
        return all;
    }

    /** Returns the look-ahead to the stage directly after this one, if that stage is {@link Cropping}. */
    Optional<LookAhead> lookAhead() {
        FollowingTransform following = neighbors.following();
        // Created outside of a job first: in a job, a transform may start a process.
        if (following == null || !(following.transform().create() instanceof Cropping)) {
            return Optional.empty();
        }
        TransformContext context = new TransformContext(slot, seed, new Neighbors(null, following.next()), chain);
        Cropping next = (Cropping) following.transform().create(context);
        return Optional.of(new LookAhead(next, random(following), following.sameTask()));
    }

    /**
     * Returns the order of a sample's columns after the flip directly after this stage, if it works in the same task; otherwise null. A
     * resize writes the columns in this order, which costs nothing.
     */
    @Nullable
    Function<Sample, ColumnOrder> flipAhead() {
        FollowingTransform flip = neighbors.following();
        FlipDraw draw = flip == null || !flip.sameTask()
                ? null
                : flip.transform().columnFlip().orElse(null);
        if (flip == null || draw == null) {
            return null;
        }
        SampleRandom random = random(flip);
        return sample ->
                draw.draw(random.reset(sample.epoch(), sample.index())) ? ColumnOrder.MIRRORED : ColumnOrder.AS_STORED;
    }

    /**
     * Returns the task's chain, which lends rows, if the stage directly after this one makes the last change of the pictures: it
     * may mirror them for the last transform. Otherwise returns null.
     */
    @Nullable
    StageChain rowsOfNext() {
        FollowingTransform following = neighbors.following();
        FollowingTransform last = following == null ? null : following.next();
        boolean unchanged = last == null
                || (last.next() == null && last.transform().columnFlip().isPresent());
        return following != null && unchanged ? chain : null;
    }

    /** Returns the random numbers of another stage, for a transform that works for it. */
    public SampleRandom random(FollowingTransform stage) {
        return new SampleRandom(seed, stage.stageNumber());
    }
}
