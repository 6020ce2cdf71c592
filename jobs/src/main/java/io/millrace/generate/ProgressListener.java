package io.millrace.generate;

/** A listener for the progress of a generation. The drawing threads call it, one at a time. */
@FunctionalInterface
public interface ProgressListener {
    /** Reports that {@code done} of {@code total} images or other parts have been written. */
    void progressed(long done, long total);

    /** Returns a listener that does nothing. */
    static ProgressListener silent() {
        return (done, total) -> {};
    }
}
