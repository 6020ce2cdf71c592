package io.millrace.train.network;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.OptionalInt;

/**
 * A model that a pipeline file can choose by name. Millrace finds its own models and those of other jars in the same
 * way: by a line in {@code META-INF/services/io.millrace.train.network.ModelFactory}. Stateless, with a public
 * constructor without parameters.
 */
public interface ModelFactory extends Choice {
    /** The type of options that count something. */
    OptionType<Integer> POSITIVE = OptionType.INTEGER.where(n -> n >= 1, "at least 1");

    /**
     * The option {@code classes}. If a pipeline file does not set this option, a model that declares it gets the number
     * of the dataset's classes.
     */
    Option<Integer> CLASSES = Option.of("classes", POSITIVE, "The number of outputs of the model: one per class.")
            .orElse(10);

    /** Returns the number of the model's outputs for each row or pixel; empty for a model that has none. */
    default OptionalInt classes(OptionValues options) {
        return options().contains(CLASSES) ? OptionalInt.of(options.get(CLASSES)) : OptionalInt.empty();
    }

    /**
     * Creates the network on the training thread. {@link LayerNetwork.Builder} builds a network of layers, and {@link
     * ModelContext#torchScript} loads a network from a file.
     *
     * @param context the inputs of the model
     * @param options the values of {@link #options}
     * @throws IllegalArgumentException when the model cannot be built for these inputs and values
     */
    Network create(ModelContext context, OptionValues options);
}
