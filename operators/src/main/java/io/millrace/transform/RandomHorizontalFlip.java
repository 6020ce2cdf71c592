package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** Swaps left and right with a given probability. */
final class RandomHorizontalFlip implements Transform {
    private final double probability;
    private String drawn = "";

    private RandomHorizontalFlip(double probability) {
        this.probability = probability;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        Field image = Images.pixels(sample, "RandomHorizontalFlip");
        boolean flipped = random.nextDouble() < probability;
        drawn = flipped ? "flipped" : "as is";
        if (flipped) {
            PixelOps.mirrorColumns(image);
        }
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** {@code RandomHorizontalFlip}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return "RandomHorizontalFlip";
        }

        @Override
        public String help() {
            return "Swaps left and right with probability p.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(Probability.OPTION);
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomHorizontalFlip(options.get(Probability.OPTION));
        }
    }
}
