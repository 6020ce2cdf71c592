package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The model {@code none}, which trains nothing: batches are made on the device and dropped. */
public final class NoModel implements ModelFactory {
    @Override
    public String name() {
        return Models.NONE;
    }

    @Override
    public String help() {
        return "Trains nothing: batches are copied to the device and dropped.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of();
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        throw new TrainSpecException("the model 'none' has no network");
    }
}
