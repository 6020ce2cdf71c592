package io.millrace.train.network;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.train.input.SequenceTensors;
import java.util.List;

/**
 * A network that predicts the next token at each place of packed sequences. Its layers get the last tokens of the document up to
 * the place, and nothing of other documents.
 *
 * <p>Tested by {@code TextMlpTest}.
 */
final class ContextNetwork implements Network {
    private final LayerNetwork layers;
    private final SequenceTensors sequences;
    private final int context;

    /**
     * Creates a network. Takes ownership of {@code sequences}.
     *
     * @param layers the layers from whole numbers [places, context] to outputs [places, vocabulary]; the number of the vocabulary's
     *     tokens stands for places before the document
     * @param context the number of tokens that the layers get for each place
     */
    ContextNetwork(LayerNetwork layers, SequenceTensors sequences, int context) {
        this.layers = layers;
        this.sequences = sequences;
        this.context = context;
    }

    @Override
    public List<NamedTensor> parameters() {
        return layers.parameters();
    }

    @Override
    public List<NamedTensor> statistics() {
        return layers.statistics();
    }

    @Override
    public int classes() {
        return layers.classes();
    }

    /** Returns [rows, vocabulary, length]. */
    @Override
    public PtNDArray forward(NDList inputs, Mode mode) {
        PtNDArray tokens = (PtNDArray) inputs.get(0);
        SequenceTensors.Documents documents =
                new SequenceTensors.Documents((PtNDArray) inputs.get(1), (PtNDArray) inputs.get(2));
        PtNDManager step = tokens.getManager();
        PtNDArray contexts = sequences.contexts(tokens, documents, context, classes(), step);
        PtNDArray outputs = layers.forward(new NDList(contexts), mode);
        Shape rows = tokens.getShape();
        PtNDArray places = JniUtils.reshape(outputs, new long[] {rows.get(0), rows.get(1), classes()});
        return JniUtils.transpose(places, 1, 2);
    }

    @Override
    public void close() {
        sequences.close();
    }
}
