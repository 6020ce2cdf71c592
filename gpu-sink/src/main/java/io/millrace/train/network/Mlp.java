package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;

/** The model {@code mlp}: fully connected layers. */
public final class Mlp implements ModelFactory {
    private static final Option<List<Integer>> HIDDEN = Option.of(
                    "hidden", OptionType.listOf(POSITIVE), "The widths of the hidden layers, from first to last.")
            .orElse(List.of(128, 64));

    @Override
    public String name() {
        return "mlp";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("mlp", "linear", "dense", "fc", "perceptron");
    }

    @Override
    public String help() {
        return "Fully connected layers with ReLU between them, on the flattened input.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(HIDDEN, CLASSES);
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        int classes = options.get(CLASSES);
        return new LayerNetwork.Builder()
                .flatten()
                .connected(context.width(), options.get(HIDDEN), classes)
                .build(classes);
    }
}
