package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/**
 * A model for tests that need residual connections and batch normalization, but not millions of parameters: {@code
 * resnet18} with an eighth of its channels.
 */
public final class SmallResNet implements ModelFactory {
    @Override
    public String name() {
        return "small_resnet";
    }

    @Override
    public String help() {
        return "A residual network for tests.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CLASSES);
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        return ResNets.resnet18(8, context.channels(), options.get(CLASSES));
    }
}
