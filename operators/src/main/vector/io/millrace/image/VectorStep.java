package io.millrace.image;

/**
 * A loop of vector operations, to be run by {@link #run} with others. HotSpot compiles such a loop well as long as the
 * method has not many more; but it would put short loops of a caller together, and then make objects of the vectors.
 * A call with many targets keeps them apart. (Measured with the loops of a resize: three times the speed.)
 */
@FunctionalInterface
interface VectorStep {
    /** Runs the loop for the rows from {@code row} on. */
    void at(int row);

    /** Runs a step. All steps pass here. */
    static void run(VectorStep step, int row) {
        step.at(row);
    }
}
