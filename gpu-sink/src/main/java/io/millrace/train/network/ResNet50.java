package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/** The model {@code resnet50} of torchvision. */
public final class ResNet50 implements ModelFactory {
    @Override
    public String name() {
        return "resnet50";
    }

    @Override
    public String help() {
        return "torchvision's ResNet-50, from random parameters.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CLASSES);
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        return ResNets.resnet50(context.channels(), options.get(CLASSES));
    }
}
