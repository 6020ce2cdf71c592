package io.millrace.train.network;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.train.spec.Named;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The models that a pipeline file can name. Stateless. */
public final class Models {
    /** The name of the choice that trains nothing: samples are only fed to the device. */
    public static final String NONE = "none";

    private static final String TORCH_SCRIPT = "torchscript";

    private static final OptionType<Integer> POSITIVE = OptionType.INTEGER.where(n -> n >= 1, "at least 1");

    private static final Option<List<Integer>> HIDDEN = Option.of(
                    "hidden", OptionType.listOf(POSITIVE), "Widths of the hidden layers, first to last.")
            .orElse(List.of(128, 64));
    private static final Option<List<Integer>> CHANNELS = Option.of(
                    "channels", OptionType.listOf(POSITIVE), "Channels of the convolutions, first to last.")
            .orElse(List.of(32, 64, 128));
    private static final Option<Integer> CLASSES = Option.of(
                    "classes", POSITIVE, "Outputs of the model: one per class.")
            .orElse(10);
    private static final Option<String> PATH =
            Option.of("path", OptionType.TEXT, "A file that torch.jit.script(model).save(path) wrote.");
    private static final Option<Integer> OUTPUTS = Option.of(
            "classes", POSITIVE, "Outputs that the file's model has: one per class, for each row or each pixel.");

    private static final List<Named<Maker>> ALL = List.of(
            new Named<>(
                    "mlp",
                    "Fully connected layers with ReLU between them, on the flattened input.",
                    List.of(HIDDEN, CLASSES),
                    (input, options, manager) -> mlp(input, options)),
            new Named<>(
                    "convnet",
                    "3x3 convolutions with batch normalisation and ReLU, halved between, then the mean over the image.",
                    List.of(CHANNELS, CLASSES),
                    (input, options, manager) -> convnet(input, options)),
            new Named<>(
                    "resnet18",
                    "torchvision's ResNet-18, from random parameters.",
                    List.of(CLASSES),
                    (input, options, manager) -> ResNets.resnet18(imageChannels(input), options.get(CLASSES))),
            new Named<>(
                    "resnet50",
                    "torchvision's ResNet-50, from random parameters.",
                    List.of(CLASSES),
                    (input, options, manager) -> ResNets.resnet50(imageChannels(input), options.get(CLASSES))),
            new Named<>(
                    TORCH_SCRIPT,
                    "A model exported by torch.jit.script, trained further from its parameters.",
                    List.of(PATH, OUTPUTS),
                    (input, options, manager) ->
                            TorchScriptNetwork.load(Path.of(options.get(PATH)), options.get(OUTPUTS), manager)),
            new Named<>(NONE, "Trains nothing: batches are made on the device and dropped.", List.of(), (i, o, m) -> {
                throw new TrainSpecException("the model 'none' has no network");
            }));

    /** Makes a network for this input. */
    @FunctionalInterface
    interface Maker {
        Network make(BatchSpec.Column input, OptionValues options, PtNDManager manager);
    }

    private Models() {}

    /** How many classes a model tells apart; empty for one that is not told, as {@link #NONE}. */
    public static OptionalInt classes(TrainSpec.Part model) {
        for (Named<Maker> known : ALL) {
            if (known.name().equals(model.name())) {
                return known.options().contains(CLASSES)
                        ? OptionalInt.of(model.options().get(CLASSES))
                        : known.options().contains(OUTPUTS)
                                ? OptionalInt.of(model.options().get(OUTPUTS))
                                : OptionalInt.empty();
            }
        }
        return OptionalInt.empty();
    }

    /** Every model, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /**
     * Makes the network, its parameters not placed yet.
     *
     * @param inputs what it is given, in order, with the element types that reach it
     * @throws TrainSpecException when there is no such model, or it does not take these inputs
     */
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
    }
}
