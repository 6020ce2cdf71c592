package io.millrace.transform;

import io.millrace.image.LevelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code RandomEqualize}, which equalizes the histogram with a given probability. */
public final class RandomEqualize implements TransformFactory {
    private static final String NAME = "RandomEqualize";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Makes the values of each channel equally frequent with probability p.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(Probability.OPTION);
    }

    @Override
    public Transform create(OptionValues options) {
        LevelOps operations = new LevelOps();
        return new RandomChange(NAME, "equalized", options.get(Probability.OPTION), (image, spare) -> {
            operations.equalize(image);
            return image;
        });
    }
}
