package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.metrics.CacheUse;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import org.jspecify.annotations.Nullable;

/**
 * A change that the data servers make to each sample. Each task creates its own instance and calls it from one thread, so
 * an instance may keep scratch memory between samples. The result depends only on the sample and on the random numbers.
 *
 * <p>A transform may reuse the arrays of the fields that it sets for its next sample. Code that keeps a sample longer
 * copies the arrays.
 */
public interface Transform extends AutoCloseable {
    /**
     * Changes the sample in place.
     *
     * @param random the random numbers of this stage for this sample and epoch, reset to their beginning
     * @throws BadSampleException when the sample is bad: it will be quarantined
     */
    void apply(Sample sample, SampleRandom random) throws BadSampleException;

    /**
     * Changes the sample in place, or where it is a pack whose documents are not joined yet, each of them. The documents stay valid while
     * the transform works on the next ones.
     *
     * @param random the random numbers of this stage
     * @return the CPU time in nanoseconds that others spent on it, as {@link #remoteCpuNanos} returns it for each document
     * @throws BadSampleException when the sample or one of its documents is bad
     */
    default long applyToAll(Sample sample, SampleRandom random) throws BadSampleException {
        if (sample.parts().isEmpty() || joinsParts()) {
            apply(sample, random.reset(sample.epoch(), sample.index()));
            return remoteCpuNanos();
        }
        long remoteCpuNanos = 0;
        for (Part part : sample.parts()) {
            apply(
                    part.sample(),
                    random.reset(part.sample().epoch(), part.sample().index()));
            part.sample().keep();
            remoteCpuNanos += remoteCpuNanos();
        }
        return remoteCpuNanos;
    }

    /**
     * Tells the transform, before it is used, that its results are only looked at, and that another instance in this process may soon
     * get the same samples. It may keep its results for that instance.
     */
    default void keepForLater() {
        // Most transforms keep nothing.
    }

    /** Returns the CPU time in nanoseconds of the latest {@link #apply} for which an instance that gets the kept results accounts. */
    default long keptCpuNanos() {
        return 0;
    }

    /** Returns whether the transform joins the documents of a pack, so that it gets the pack and not each document. */
    default boolean joinsParts() {
        return false;
    }

    /** Returns the parameters that the latest {@link #apply} drew, for display ("crop 12,40 180x200"), or an empty text. */
    default String drawn() {
        return "";
    }

    /**
     * Returns the CPU time in nanoseconds that other processes or other threads spent on the latest {@link #apply}. The thread's own CPU
     * time is measured separately.
     */
    default long remoteCpuNanos() {
        return 0;
    }

    /**
     * Returns the work of the latest {@link #apply}, which threw no exception, if it was also work of the stages directly behind in
     * the same task: that of this stage, and with it that of the next ones. Otherwise returns null.
     */
    default @Nullable StageDone done() {
        return null;
    }

    /** Returns the profile of the user's code that this transform calls; null when it calls none. Any thread may call it. */
    default @Nullable CodeProfile code() {
        return null;
    }

    /** Returns the use of the cache in which this transform keeps results; null when it has none. Any thread may call it. */
    default @Nullable CacheUse cacheUse() {
        return null;
    }

    /** Adds to the profile what the transform that has done this one's work has found. It is called by the task's thread. */
    default void addCode(String found) {
        throw new UnsupportedOperationException(getClass().getName() + " calls no code of the user");
    }

    /** Ends what the transform has started, such as a process. The fields that it set stay valid. Closing again does nothing. */
    @Override
    default void close() {
        // Most transforms own nothing.
    }
}
