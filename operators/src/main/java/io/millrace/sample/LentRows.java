package io.millrace.sample;

import org.jspecify.annotations.Nullable;

/**
 * The rows that the pack stage lends to the earlier stages of its task. A stage that makes the last change of a picture writes
 * the pixels to their final place, which saves copies. All stages of a task run in one thread and pass on one sample at a time, so the
 * next row is that of the sample in hand.
 */
public final class LentRows {
    private static final ThreadLocal<@Nullable Lender> LENDER = new ThreadLocal<>();

    private LentRows() {}

    /** The stage that owns the rows. */
    public interface Lender {
        /**
         * Returns an image whose pixels lie in the row that will hold a sample. They may be written until the sample is handed
         * on. If the image does not become the sample's field, the row is overwritten.
         *
         * @param sample a sample with its place in the run
         * @param field the name of the image in the sample
         * @param height the rows of the image, which has three channels of unsigned bytes
         * @param width the columns of the image
         * @return a {@linkplain Field#passing passing} image of any content; null when the row cannot hold it as it is
         */
        @Nullable
        Field row(Sample sample, String field, int height, int width);
    }

    /** Lends rows to the stages of this thread's task that open from now on. Stages open in the order from last to first. */
    public static void offer(Lender lender) {
        LENDER.set(lender);
    }

    /** Ends the loan if this lender's rows are the ones on offer. */
    public static void withdraw(Lender lender) {
        if (LENDER.get() == lender) {
            LENDER.remove();
        }
    }

    /** Returns the lender in this thread's task, or null if rows are packed in another task. */
    public static @Nullable Lender ofTask() {
        return LENDER.get();
    }
}
