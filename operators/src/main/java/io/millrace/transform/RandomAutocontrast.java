package io.millrace.transform;

import io.millrace.image.LevelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code RandomAutocontrast}, which stretches the levels with a given probability. */
public final class RandomAutocontrast implements TransformFactory {
    private static final String NAME = "RandomAutocontrast";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Stretches the values of each channel to 0 to 255 with probability p.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(Probability.OPTION);
    }

    @Override
    public Transform create(OptionValues options) {
        LevelOps operations = new LevelOps();
        return new RandomChange(NAME, "contrast stretched", options.get(Probability.OPTION), (image, spare) -> {
            operations.autocontrast(image);
            return image;
        });
    }
}
