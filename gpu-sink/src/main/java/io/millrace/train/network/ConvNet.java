package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The model {@code convnet}: a plain convolutional network. */
public final class ConvNet implements ModelFactory {
    private static final Option<List<Integer>> CHANNELS = Option.of(
                    "channels", OptionType.listOf(POSITIVE), "The channels of the convolutions, from first to last.")
            .orElse(List.of(32, 64, 128));

    @Override
    public String name() {
        return "convnet";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("convnet", "cnn", "conv", "lenet", "simplecnn");
    }

    @Override
    public String help() {
        return "3x3 convolutions with batch normalization and ReLU. The image is halved in size after each convolution"
                + " except the last one, and the outputs are averaged over the image.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CHANNELS, CLASSES);
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        List<Integer> widths = options.get(CHANNELS);
        List<Integer> image = context.images().shape();
        LayerNetwork.Builder network = new LayerNetwork.Builder();
        int inputs = context.channels();
        int halvings = widths.size() - 1;
        if (Math.min(image.get(0), image.get(1)) >> halvings < 1) {
            throw new TrainSpecException("a convnet of " + widths.size() + " convolutions halves the image " + halvings
                    + " times; " + image + " is too small");
        }
        for (int i = 0; i < widths.size(); i++) {
            if (i > 0) {
                network.maxPool(2, 2, 0);
            }
            network.convolutionWithBias("conv" + (i + 1), inputs, widths.get(i))
                    .batchNormalization("bn" + (i + 1), widths.get(i))
                    .relu();
            inputs = widths.get(i);
        }
        int classes = options.get(CLASSES);
        return network.globalAveragePool()
                .flatten()
                .linear("fc", inputs, classes)
                .build(classes);
    }
}
