package io.millrace.transform;

import io.millrace.image.PointOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code RandomPosterize}, which reduces the number of levels with a given probability. */
public final class RandomPosterize implements TransformFactory {
    private static final String NAME = "RandomPosterize";

    private static final Option<Integer> BITS = Option.of(
            "bits", OptionType.integers(0, 8), "The number of upper bits of each value that are kept, 0 to 8.");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Keeps only the upper bits of all values with probability p.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(BITS, Probability.OPTION);
    }

    @Override
    public PictureWork pictureWork(OptionValues options) {
        return PictureWork.PER_PIXEL;
    }

    @Override
    public Transform create(OptionValues options) {
        int bits = options.get(BITS);
        return new RandomChange(NAME, "posterized", options.get(Probability.OPTION), (image, spare) -> {
            PointOps.posterize(image, bits);
            return image;
        });
    }
}
