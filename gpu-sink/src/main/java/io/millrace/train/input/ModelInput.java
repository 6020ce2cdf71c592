package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import java.util.List;

/** One of the model's inputs, made from batches. Holds memory for one batch; belongs to one thread. */
public sealed interface ModelInput extends AutoCloseable
        permits HostInput, EncodedInput, PlainInput, PlainTensorInput, TensorInput {
    /** Returns the description of a row as the model gets it, with the element type that reaches it. */
    BatchSpec.Column seen();

    /**
     * Adds the input's arrays for a sealed batch of at least 1 row.
     *
     * @param mixtures the mixtures of rows, in order
     * @param manager the owner of the arrays, whose memory is valid until the next call
     */
    void make(DeviceBatch batch, List<Mixture> mixtures, PtNDManager manager, NDList into);

    @Override
    void close();
}
