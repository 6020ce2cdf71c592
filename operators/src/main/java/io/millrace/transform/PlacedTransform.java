package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import org.jspecify.annotations.Nullable;

/**
 * A transform at its place in a run: it knows its random numbers and quarantines what it cannot use. The running job and
 * whoever shows what the job does go through this, so that they agree to the bit. Serves one thread.
 */
public final class PlacedTransform {
    private final String stage;
    private final String dataset;
    private final Transform transform;
    private final SampleRandom random;

    /**
     * Makes the transform.
     *
     * @param stage its name in metrics and messages
     * @param dataset what the user calls their dataset, for messages
     * @param seed the run's seed
     * @param stageNumber its own stream of random numbers, see {@link SampleRandom}
     */
    public PlacedTransform(String stage, TransformSpec spec, String dataset, long seed, int stageNumber) {
        this(stage, spec, dataset, seed, stageNumber, null);
    }

    /**
     * Makes the transform at its place before another. Whoever applies it also applies the other, next and to the same
     * samples, as it may leave undone what the other does not need; what comes out behind that is the same.
     *
     * @param following the transform directly behind it, null where there is none
     */
    public PlacedTransform(
            String stage,
            TransformSpec spec,
            String dataset,
            long seed,
            int stageNumber,
            @Nullable FollowingTransform following) {
        this.stage = stage;
        this.dataset = dataset;
        this.transform = create(spec, seed, following);
        this.random = new SampleRandom(seed, stageNumber);
    }

    private static Transform create(TransformSpec spec, long seed, @Nullable FollowingTransform following) {
        Transform made = spec.create();
        if (made instanceof Decode decode
                && following != null
                && following.transform().create() instanceof Cropping next) {
            return decode.lookingAhead(new LookAhead(next, new SampleRandom(seed, following.stageNumber())));
        }
        return made;
    }

    /** Says in which of the stage's slots this is, from 0. */
    void inSlot(int slot) {
        transform.inSlot(slot);
    }

    /** Its name in metrics and messages. */
    public String stage() {
        return stage;
    }

    /**
     * Changes a good sample that has its place in the run, or quarantines it.
     *
     * @return whether it is still good
     * @throws StageFailedException when the transform fails for another reason than a bad sample
     */
    public boolean apply(Sample sample) {
        try {
            transform.apply(sample, random.reset(sample.epoch(), sample.index()));
            return true;
        } catch (BadSampleException e) {
            sample.quarantine(new BadSample(stage, dataset, e.file(), e.offset(), e.reason()));
            return false;
        } catch (RuntimeException e) {
            throw new StageFailedException(stage, sample.index(), sample.key(), e);
        }
    }

    /** What the latest {@link #apply} drew, for people; empty where nothing was. */
    public String drawn() {
        return transform.drawn();
    }
}
