package io.millrace.generate;

/** Hears how far a generation is. Called by the drawing threads, one at a time. */
@FunctionalInterface
public interface ProgressListener {
    /** Says that {@code done} of {@code total} images are written. */
    void progressed(long done, long total);

    /** Hears nothing. */
    static ProgressListener silent() {
        return (done, total) -> {};
    }
}
