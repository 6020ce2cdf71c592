package io.millrace.transform;

import io.millrace.image.PointOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code RandomInvert}, which inverts all values with a given probability. */
public final class RandomInvert implements TransformFactory {
    private static final String NAME = "RandomInvert";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Inverts all values with probability p.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(Probability.OPTION);
    }

    @Override
    public PictureWork pictureWork(OptionValues options) {
        return PictureWork.PER_PIXEL;
    }

    @Override
    public Transform create(OptionValues options) {
        return new RandomChange(NAME, "inverted", options.get(Probability.OPTION), (image, spare) -> {
            PointOps.invert(image);
            return image;
        });
    }
}
