package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.file.HeapLimit;
import io.millrace.metrics.CacheUse;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sample.StageDone;
import org.jspecify.annotations.Nullable;

/**
 * A transform at its place in a run: with its own random numbers, and with the quarantine for bad samples. The running job
 * and the commands that show what the job does use this class, so that their results are equal to the bit. Serves one
 * thread.
 */
public final class PlacedTransform implements AutoCloseable {
    private final StagePlace place;
    private final Transform transform;
    private final SampleRandom random;
    private long remoteCpuNanos;

    /**
     * Creates the transform of all samples outside of a job, without looking ahead to another transform.
     *
     * @param stage the name of the stage in metrics and messages
     * @param spec the transform and its options
     * @param dataset the name of the dataset in messages
     * @param seed the seed of the run
     * @param stageNumber the number that selects the stage's random numbers, see {@link SampleRandom}
     */
    public PlacedTransform(String stage, TransformSpec spec, String dataset, long seed, int stageNumber) {
        this(new StagePlace(stage, spec, Split.TRAIN, dataset, seed, stageNumber, Neighbors.NONE), spec.create());
    }

    /**
     * Creates the transform in a job, before another transform. The caller applies the following transform next, to the same
     * samples. Therefore this transform may leave out pixels that the following transform does not need. The result of both
     * together stays the same.
     *
     * @param stage the name of the stage in metrics and messages
     * @param spec the transform and its options
     * @param dataset the name of the dataset in messages
     * @param seed the seed of the run
     * @param stageNumber the number that selects the stage's random numbers, see {@link SampleRandom}
     * @param context the place of the transform in the job
     */
    public PlacedTransform(
            String stage, TransformSpec spec, String dataset, long seed, int stageNumber, TransformContext context) {
        this(
                new StagePlace(stage, spec, Split.TRAIN, dataset, seed, stageNumber, Neighbors.NONE),
                spec.create(context));
    }

    PlacedTransform(StagePlace place, Transform transform) {
        this.place = place;
        this.transform = transform;
        this.random = new SampleRandom(place.seed(), place.stageNumber());
    }

    /** Returns the name of the stage in metrics and messages. */
    public String stage() {
        return place.stage();
    }

    /** Returns whether the transform applies to the samples of this sample's split and dataset. */
    public boolean appliesTo(Sample sample) {
        return place.appliesTo(sample);
    }

    /** Returns whether the transform joins the parts of a sample, as {@link Transform#joinsParts} does. */
    public boolean joinsParts() {
        return transform.joinsParts();
    }

    /**
     * Changes a good sample that has its place in the run, or quarantines it.
     *
     * @return whether the sample is still good
     * @throws StageFailedException when the transform fails for another reason than a bad sample
     */
    public boolean apply(Sample sample) {
        try {
            remoteCpuNanos = transform.applyToAll(sample, random);
            return true;
        } catch (BadSampleException e) {
            remoteCpuNanos = transform.remoteCpuNanos();
            quarantine(sample, e.file(), e.offset(), e.reason());
            return false;
        } catch (OutOfMemoryError e) {
            throw new StageFailedException(
                    place.stage(), sample.index(), sample.key(), new IllegalStateException(HeapLimit.describe(e), e));
        } catch (RuntimeException e) {
            throw new StageFailedException(place.stage(), sample.index(), sample.key(), e);
        }
    }

    /** Quarantines a sample for this stage. */
    void quarantine(Sample sample, String file, long offset, String reason) {
        sample.quarantine(new BadSample(place.stage(), place.datasets().of(sample), file, offset, reason));
    }

    /** Returns the work of the latest {@link #apply} that left the sample good, see {@link Transform#done}. */
    @Nullable
    StageDone done() {
        return transform.done();
    }

    /** Returns the parameters that the latest {@link #apply} drew, for display, or an empty text. */
    public String drawn() {
        return transform.drawn();
    }

    /** Returns the CPU time in nanoseconds that others spent on the latest {@link #apply}. */
    long remoteCpuNanos() {
        return remoteCpuNanos;
    }

    /** Returns the profile of the user's code that the transform calls; null when it calls none. Any thread may call it. */
    @Nullable
    CodeProfile code() {
        return transform.code();
    }

    /** Returns the use of the transform's cache; null when it has none. Any thread may call it. */
    @Nullable
    CacheUse cacheUse() {
        return transform.cacheUse();
    }

    /** Adds what an earlier stage has found about this stage's code. */
    void addCode(String found) {
        transform.addCode(found);
    }

    /** Closes the transform. The samples stay valid. */
    @Override
    public void close() {
        transform.close();
    }
}
