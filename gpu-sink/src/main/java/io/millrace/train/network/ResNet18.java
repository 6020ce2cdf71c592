package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/** The model {@code resnet18} of torchvision. */
public final class ResNet18 implements ModelFactory {
    @Override
    public String name() {
        return "resnet18";
    }

    @Override
    public String help() {
        return "torchvision's ResNet-18, from random parameters.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CLASSES);
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        return ResNets.resnet18(context.channels(), options.get(CLASSES));
    }
}
