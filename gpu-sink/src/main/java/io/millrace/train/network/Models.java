package io.millrace.train.network;

import io.millrace.train.spec.Component;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.option.Choice;
import io.millrace.train.spec.ServiceCatalog;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import java.util.OptionalInt;

/** The models that a pipeline file can choose. Stateless. */
public final class Models {
    /** The name of the model that trains nothing: samples are fed to the device and dropped. */
    public static final String NONE = "none";

    private static final ServiceCatalog<ModelFactory> CATALOG = new ServiceCatalog<>(ModelFactory.class, "model");

    private Models() {}

    /**
     * Returns the number of a model's outputs; empty for a model without outputs, as {@link #NONE}.
     *
     * @throws TrainSpecException when there is no such model
     */
    public static OptionalInt classes(Component model) {
        return CATALOG.find(model).classes(model.options());
    }

    /** Returns every model, for the documentation and the configuration. */
    public static List<Choice> all() {
        return List.copyOf(CATALOG.all());
    }

    /**
     * Creates the network; its parameters are not placed yet.
     *
     * @param inputs the inputs in the model's order, with the element types that reach it
     * @throws TrainSpecException when there is no such model, or it does not accept these inputs
     */
<<<<<<< HEAD
    public static Network create(Component model, List<BatchSpec.Column> inputs, PtNDManager manager) {
        return CATALOG.find(model).create(new ModelContext(model.name(), inputs, manager), model.options());
=======
    public static Network open(TrainSpec.Part model, List<BatchSpec.Column> inputs, PtNDManager manager) {
        Maker maker = Named.find(ALL, "model", model);
        BatchSpec.Column input = inputs.get(0);
        if (!model.name().equals(TORCH_SCRIPT)
                && (inputs.size() > 1 || input.form() == Form.RAGGED || input.dtype() != DType.FLOAT32)) {
            throw new TrainSpecException(
                    "the model " + model.name() + " takes one input of floats with one shape, found "
                            + inputs.stream()
                                    .map(column -> "'" + column.name() + "' " + column.describe())
                                    .collect(Collectors.joining(" and "))
                            + ": name one in train.input, make floats of whole numbers with a ToFloat, or use a torchscript model");
        }
        return maker.make(input, model.options(), manager);
    }

    private static Network mlp(BatchSpec.Column input, OptionValues options) {
        LayerNetwork.Builder network = new LayerNetwork.Builder().add(new Layer.Flatten());
        long width = input.shape().stream().mapToLong(extent -> extent).reduce(1, Math::multiplyExact);
        int number = 1;
        for (int hidden : options.get(HIDDEN)) {
            network.linear("fc" + number, width, hidden).relu();
            width = hidden;
            number++;
        }
        int classes = options.get(CLASSES);
        return network.linear("fc" + number, width, classes).build(classes);
    }

    private static Network convnet(BatchSpec.Column input, OptionValues options) {
        List<Integer> widths = options.get(CHANNELS);
        LayerNetwork.Builder network = new LayerNetwork.Builder();
        int inputs = imageChannels(input);
        int halvings = widths.size() - 1;
        if (Math.min(input.shape().get(0), input.shape().get(1)) >> halvings < 1) {
            throw new TrainSpecException("a convnet of " + widths.size() + " convolutions halves the image " + halvings
                    + " times; " + input.shape() + " is too small");
        }
        for (int i = 0; i < widths.size(); i++) {
            if (i > 0) {
                network.add(new Layer.MaxPool(2, 2, 0));
            }
            network.convolutionWithBias("conv" + (i + 1), inputs, widths.get(i))
                    .batchNormalization("bn" + (i + 1), widths.get(i))
                    .relu();
            inputs = widths.get(i);
        }
        int classes = options.get(CLASSES);
        return network.add(new Layer.GlobalAveragePool())
                .add(new Layer.Flatten())
                .linear("fc", inputs, classes)
                .build(classes);
    }

    private static int imageChannels(BatchSpec.Column input) {
        if (input.shape().size() != 3) {
            throw new TrainSpecException("the model takes images of [height, width, channels], found '" + input.name()
                    + "' with " + input.shape());
        }
        return input.shape().get(2);
>>>>>>> e
    }
}
