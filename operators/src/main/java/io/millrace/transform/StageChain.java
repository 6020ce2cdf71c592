package io.millrace.transform;

import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the stages of one task share. Each stage gets it when it opens. A stage that has also done work of the stages behind it
 * leaves that work here for the next one, and the pack stage offers the row of the sample in hand.
 *
 * <p>The thread of the task alone uses the object, except for {@link #of}.
 */
public final class StageChain {
    private static final Map<Object, StageChain> OF_TASKS = Collections.synchronizedMap(new WeakHashMap<>());

    /** The numbers of the transform stages in the task. */
    private final Set<Integer> stages = new HashSet<>();

    /** The work that has been done on samples for the next stage. */
    private final IdentityHashMap<Sample, StageDone> done = new IdentityHashMap<>();

    private @Nullable RowLender lender;

    /** Creates the chain of a transform that is alone. */
    public StageChain() {}

    /**
     * Returns the chain of a task, the same one for all of its stages.
     *
     * @param task the object of Flink that stands for the task; the chain lives as long as this object
     */
    public static StageChain of(Object task) {
        return OF_TASKS.computeIfAbsent(task, first -> new StageChain());
    }

    /** The stage that owns the rows. */
    @FunctionalInterface
    public interface RowLender {
        /** Returns an image in the row that will hold a sample, as {@link StageChain#row} does. */
        @Nullable
        Field row(Sample sample, String field, int height, int width);
    }

    /** Lends rows to the other stages of the task; null ends the loan. */
    public void lend(@Nullable RowLender rows) {
        lender = rows;
    }

    /**
     * Returns an image whose pixels lie in the row that will hold the sample in hand. They may be written until the sample is handed
     * on. A stage that makes the last change of a picture writes it there, which saves copies. If the image does not become the
     * sample's field, the row is overwritten.
     *
     * @param sample a sample with its place in the run
     * @param field the name of the image in the sample
     * @param height the rows of the image, which has three channels of unsigned bytes
     * @param width the columns of the image
     * @return a {@linkplain Field#passing passing} image of any content; null when the row cannot hold it as it is, or when rows are
     *     packed in another task
     */
    public @Nullable Field row(Sample sample, String field, int height, int width) {
        return lender == null ? null : lender.row(sample, field, height, width);
    }

    /** Adds a stage that opens. */
    void join(int stageNumber) {
        stages.add(stageNumber);
    }

    /**
     * Leaves the work that has been done on a sample for the next stage and those behind it.
     *
     * @param nextStages the work; null for none
     * @param stageNumber the number of the next stage
     * @throws IllegalStateException when the next stage is not in the task, and would do that work again
     */
    void leave(Sample sample, @Nullable StageDone nextStages, int stageNumber) {
        if (nextStages == null) {
            return;
        }
        if (!stages.contains(stageNumber)) {
            throw new IllegalStateException("a sample leaves its task before the stages whose work has been done");
        }
        done.put(sample, nextStages);
    }

    /** Returns the work that the stage before has left for the calling stage, or null, and forgets it. */
    @Nullable
    StageDone take(Sample sample) {
        return done.remove(sample);
    }
}
