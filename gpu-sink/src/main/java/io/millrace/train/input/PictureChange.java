package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.List;

/**
 * A change of the bytes of a batch's pictures on the engine's device, with the result of the transform of the same name on
 * the data servers. Holds memory for what it draws; belongs to one thread, which closes it.
 */
sealed interface PictureChange extends AutoCloseable permits FlipPictures, JitterPictures, ResizePictures {
    /** The shape of a row behind it: [height, width, channels]. */
    List<Integer> shape();

    /**
     * The pictures changed; those given stay as they are.
     *
     * @param pictures uint8 [rows, height, width, channels]
     * @param manager owns the result
     */
    PtNDArray apply(PtNDArray pictures, BatchRows rows, PtNDManager manager);

    @Override
    void close();
}
