package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.EngineScript;

/**
 * Operations on packed sequences on the engine's device. They are functions of {@code sequence-tensors.pt}, a TorchScript module
 * made by {@code src/main/python/export_sequence_tensors.py}, which documents the result of each. No method waits for the device.
 * An object of this class belongs to one thread, which closes it.
 */
public final class SequenceTensors implements AutoCloseable {
    private final EngineScript script;

    /**
     * The documents of the rows of a batch.
     *
     * @param lengths the numbers of tokens of all documents, whole numbers [documents]
     * @param offsets the place in {@code lengths} at which each row begins, and the end of the last row, int64 [rows + 1]
     */
    public record Documents(PtNDArray lengths, PtNDArray offsets) {}

    public SequenceTensors(PtNDManager manager) {
        script = EngineScript.load(SequenceTensors.class, "sequence-tensors.pt", manager);
    }

    /**
     * Returns the next token of its document for each token, int64 [rows, length].
     *
     * @param tokens whole numbers [rows, length]
     * @param ignored the number for tokens that are the last ones of their document, and for padding
     */
    PtNDArray nextTokens(PtNDArray tokens, Documents documents, long ignored, PtNDManager manager) {
        return script.tensor("next_tokens", manager, tokens, documents.lengths(), documents.offsets(), ignored);
    }

    /** Returns labels [rows, length], with the number {@code ignored} where the mask of the token that is the label is 0. */
    PtNDArray masked(PtNDArray labels, PtNDArray mask, long ignored, PtNDManager manager) {
        return script.tensor("masked", manager, labels, mask, ignored);
    }

    /**
     * Returns the last tokens of its document up to each token, int64 [rows * length, context], the oldest first.
     *
     * @param tokens whole numbers [rows, length]
     * @param outside the number of the vocabulary's tokens. It stands for places before the document, and for numbers that are no
     *     tokens
     */
    public PtNDArray contexts(PtNDArray tokens, Documents documents, int context, int outside, PtNDManager manager) {
        return script.tensor("contexts", manager, tokens, documents.lengths(), documents.offsets(), context, outside);
    }

    @Override
    public void close() {
        script.close();
    }
}
