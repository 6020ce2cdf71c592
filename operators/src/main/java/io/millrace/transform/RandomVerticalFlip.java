package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** Swaps top and bottom with a given probability. */
final class RandomVerticalFlip implements Transform {
    private final double probability;
    private String drawn = "";

    private RandomVerticalFlip(double probability) {
        this.probability = probability;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        Field image = Images.pixels(sample, "RandomVerticalFlip");
        boolean flipped = random.nextDouble() < probability;
        drawn = flipped ? "flipped" : "as is";
        if (flipped) {
            PixelOps.mirrorRows(image);
        }
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** {@code RandomVerticalFlip}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return "RandomVerticalFlip";
        }

        @Override
        public String help() {
            return "Swaps top and bottom with probability p.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(Probability.OPTION);
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomVerticalFlip(options.get(Probability.OPTION));
        }
    }
}
