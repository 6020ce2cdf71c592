package io.millrace.train.network;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.train.input.SequenceTensors;
import io.millrace.train.spec.TrainSpecException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The inputs for which a {@link ModelFactory} creates a network. Belongs to the training thread. */
public final class ModelContext {
    private final String model;
    private final List<BatchSpec.Column> inputs;
    private final PtNDManager manager;

    /**
     * Creates the context of one model.
     *
     * @param model the model's name, for messages
     * @param inputs the inputs in the model's order, with the element types that reach it
     * @param manager the owner of tensors that live as long as the training
     */
    ModelContext(String model, List<BatchSpec.Column> inputs, PtNDManager manager) {
        this.model = model;
        this.inputs = List.copyOf(inputs);
        this.manager = manager;
    }

    /** Returns the model's inputs in their order, with the element types that reach the model. */
    public List<BatchSpec.Column> inputs() {
        return inputs;
    }

    /**
     * Returns the only input.
     *
     * @throws TrainSpecException unless there is one input, of floats and with the same shape in all rows
     */
    public BatchSpec.Column floats() {
        BatchSpec.Column input = inputs.get(0);
        if (inputs.size() > 1 || input.form() == Form.RAGGED || input.dtype() != DType.FLOAT32) {
            throw new TrainSpecException("the model " + model + " needs one input of floats with one shape, found "
                    + describe() + ": name one in train.input, convert whole numbers to floats with ToFloat, or use a"
                    + " torchscript model");
        }
        return input;
    }

    /** Returns the number of values in a row of the only input, see {@link #floats}. */
    public long width() {
        return floats().shape().stream().mapToLong(extent -> extent).reduce(1, Math::multiplyExact);
    }

    /**
     * Returns the only input, which holds images of shape [height, width, channels]. The network gets them as [rows, channels,
     * height, width].
     *
     * @throws TrainSpecException unless there is one input of such a shape, see {@link #floats}
     */
    public BatchSpec.Column images() {
        BatchSpec.Column input = floats();
        if (input.shape().size() != 3) {
            throw new TrainSpecException("the model needs images of [height, width, channels], found '" + input.name()
                    + "' with " + input.shape());
        }
        return input;
    }

    /** Returns the number of channels of the images, see {@link #images}. */
    public int channels() {
        return images().shape().get(2);
    }

    /**
     * Checks that the model's inputs are those of packed sequences: the tokens of each row, and the lengths of its documents. The
     * network gets them as tokens [rows, length], the lengths of all documents, and the place at which those of each row begin,
     * int64 [rows + 1].
     *
     * @throws TrainSpecException when they are not
     */
    public void requireSequences() {
        boolean fits = inputs.size() == 2
                && isTokens(inputs.get(0))
                && inputs.get(1).form() == Form.RAGGED
                && inputs.get(1).shape().isEmpty()
                && !inputs.get(1).dtype().isFloat();
        if (!fits) {
            throw new TrainSpecException(
                    "the model " + model + " needs two inputs, the tokens of packed sequences and the"
                            + " lengths of their documents, found " + describe()
                            + ": set train.input to [tokens, lengths], the fields of the transform pack_sequences");
        }
    }

    private static boolean isTokens(BatchSpec.Column column) {
        boolean whole = column.dtype() == DType.INT32 || column.dtype() == DType.INT64;
        return whole && column.form() == Form.DENSE && column.shape().size() == 1;
    }

    private String describe() {
        return inputs.stream()
                .map(column -> "'" + column.name() + "' " + column.describe())
                .collect(Collectors.joining(" and "));
    }

    /** Creates operations on packed sequences, which the caller closes. */
    public SequenceTensors sequences() {
        return new SequenceTensors(manager);
    }

    /**
     * Loads a network from a file that {@code torch.jit.script(model).save(path)} wrote. Training continues from its parameters.
     *
     * @param classes the number of outputs for each row or pixel
     * @throws TrainSpecException when there is no such file, it is not TorchScript, or it has nothing to train
     */
    public Network torchScript(Path file, int classes) {
        return TorchScriptNetwork.load(file, classes, manager);
    }
}
