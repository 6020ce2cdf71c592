package io.millrace.train.network;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.state.ModelStateException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;

/** A model as a function of its tensors. Belongs to one thread. */
public interface Network extends AutoCloseable {
    /** Whether batch statistics are used and recorded, or the recorded ones used. */
    enum Mode {
        TRAIN,
        EVALUATE
    }

    /** The trained tensors, in the model's order. */
    List<NamedTensor> parameters();

    /** The running statistics that can be reached one by one, in the model's order. */
    List<NamedTensor> statistics();

    /** How many outputs a row has. */
    int classes();

    /**
     * The outputs of a batch, [rows, classes] or, for each pixel, [rows, classes, height, width], made in the inputs' manager.
     *
     * @param inputs [rows, channels, height, width] or [rows, values]; a ragged one as its entries and its offsets
     */
    PtNDArray forward(NDList inputs, Mode mode);

    /** Whether {@link #forward} may draw numbers from PyTorch's generator. */
    default boolean drawsNumbers() {
        return false;
    }

    /**
     * Checks that parameters and statistics are all there is, so that replicas of which these are equal are equal.
     *
     * @throws TrainSpecException when there is more
     */
    default void requireShareable() {}

    /** Adds to the digest what is neither in parameters nor in statistics. */
    default void digestRest(MessageDigest digest) {}

    /**
     * Whether some of the network's state can be reached through its own form alone, which holds the parameters too. Then
     * this form, and not the tensors, is what a copy of the training's state has.
     */
    default boolean keepsOwnForm() {
        return false;
    }

    /** Writes the network as it is. */
    default void writeOwnForm(OutputStream out) throws IOException {
        throw new IllegalStateException("this network has no form of its own");
    }

    /**
     * Becomes what was written; the slots hold the new parameters then, in the engine's memory.
     *
     * @throws ModelStateException when it is damaged, or has other parameters
     */
    default void readOwnForm(InputStream in) throws IOException {
        throw new IllegalStateException("this network has no form of its own");
    }

    /** Writes files of the network's own form beside those that every model has. */
    default void saveOwnForm(Path directory) throws IOException {}

    @Override
    default void close() {}
}
