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
    /** The use of batch statistics: training computes and records them, and evaluation reads the recorded ones. */
    enum Mode {
        TRAIN,
        EVALUATE
    }

    /** Returns the trained tensors, in the model's order. */
    List<NamedTensor> parameters();

    /** Returns the running statistics that can be reached one by one, in the model's order. */
    List<NamedTensor> statistics();

    /** Returns the number of outputs for each row, pixel or token. */
    int classes();

    /**
     * Computes the outputs of a batch: [rows, classes], for each pixel [rows, classes, height, width], or for each token [rows,
     * classes, length]. The inputs' manager owns them.
     *
     * @param inputs tensors of [rows, channels, height, width] or [rows, values]; a ragged input is two tensors, its entries
     *     and its offsets
     */
    PtNDArray forward(NDList inputs, Mode mode);

    /** Returns whether {@link #forward} may draw numbers from PyTorch's generator. */
    default boolean drawsNumbers() {
        return false;
    }

    /**
     * Checks that the network has no state besides parameters and statistics. Replicas with equal parameters and
     * statistics are then equal.
     *
     * @throws TrainSpecException when there is other state
     */
    default void requireShareable() {}

    /** Adds the state that is neither in parameters nor in statistics to the digest. */
    default void digestRest(MessageDigest digest) {}

    /**
     * Returns whether some state can be reached only through the network's own form, which also contains the parameters. A
     * copy of the training's state then contains this form instead of the tensors.
     */
    default boolean keepsOwnForm() {
        return false;
    }

    /** Writes the network in its own form. */
    default void writeOwnForm(OutputStream out) throws IOException {
        throw new IllegalStateException("this network has no form of its own");
    }

    /**
     * Replaces this network by a network that {@link #writeOwnForm} wrote. Its tensors then hold the new parameters, in
     * the engine's memory.
     *
     * @throws ModelStateException when the form is damaged, or has other parameters
     */
    default void readOwnForm(InputStream in) throws IOException {
        throw new IllegalStateException("this network has no form of its own");
    }

    /** Writes files of the network's own form, in addition to the files that every model has. */
    default void saveOwnForm(Path directory) throws IOException {}

    @Override
    default void close() {}
}
