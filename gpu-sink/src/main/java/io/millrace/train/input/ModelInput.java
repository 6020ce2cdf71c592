package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import java.util.List;

/** One of the model's inputs, computed from batches. It has memory for one batch, and belongs to one thread. */
public sealed interface ModelInput extends AutoCloseable
        permits HostInput, EncodedInput, PlainInput, PlainTensorInput, TensorInput {
    /** Returns the description of a row in the form in which the model gets it, with the model's element type. */
    BatchSpec.Column modelColumn();

    /**
     * Adds the input's arrays for a sealed batch of at least 1 row.
     *
     * @param mixtures the mixtures of rows, in order
     * @param manager the owner of the arrays; the memory of the arrays is valid until the next call
     */
    void make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager, NDList into);

    @Override
    void close();
}
