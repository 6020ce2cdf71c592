package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.List;

/**
 * A change of the bytes of a batch's pictures on the engine's device. The result equals the result of the transform
 * with the same name on the data servers. A change has memory for random numbers, and belongs to one thread, which
 * closes it.
 */
public interface PictureChange extends AutoCloseable {
    /** Returns the shape of a changed row: [height, width, channels]. */
    List<Integer> shape();

    /**
     * Returns the changed pictures. The given pictures stay unchanged.
     *
     * @param pictures uint8 [rows, height, width, channels]
     * @param manager the owner of the result
     */
    PtNDArray apply(PtNDArray pictures, BatchRows rows, PtNDManager manager);

    @Override
    void close();
}
