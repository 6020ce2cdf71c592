package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;

/**
 * A transform that applies several random operations, all of one magnitude: "RandAugment" (Cubuk and others, 2019), as
 * torchvision does.
 */
final class RandAugment implements Transform {
    private final int operations;
    private final int magnitude;
    private final int bins;
    private final Augmenter augmenter;

    private RandAugment(int operations, int magnitude, int bins, Paint paint) {
        if (magnitude >= bins) {
            throw new IllegalArgumentException(
                    "'magnitude' must be under 'num_magnitude_bins', which is " + bins + ", found " + magnitude);
        }
        this.operations = operations;
        this.magnitude = magnitude;
        this.bins = bins;
        this.augmenter = new Augmenter("RandAugment", paint);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = augmenter.begin(sample);
        for (int i = 0; i < operations; i++) {
            Augmentation operation =
                    AugmentationSpace.OPERATIONS.get(random.nextInt(AugmentationSpace.OPERATIONS.size()));
            double unsigned = AugmentationSpace.STANDARD.magnitude(operation, magnitude, bins, extent);
            augmenter.apply(sample, operation, Augmenter.sign(operation, unsigned, random));
        }
    }

    @Override
    public String drawn() {
        return augmenter.drawn();
    }

    /** The factory of {@code RandAugment}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Integer> NUM_OPS = Option.of(
                        "num_ops",
                        OptionType.INTEGER.where(value -> value >= 0, "0 or more"),
                        "The number of operations that are applied, one after the other.")
                .orElse(2);

        private static final Option<Integer> MAGNITUDE = Option.of(
                        "magnitude",
                        OptionType.INTEGER.where(value -> value >= 0, "0 or more"),
                        "The strength of the operations, from 0 to num_magnitude_bins - 1.")
                .orElse(9);

        @Override
        public String name() {
            return "RandAugment";
        }

        @Override
        public String help() {
            return "Applies random operations of one magnitude.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(
                    NUM_OPS,
                    MAGNITUDE,
                    TrivialAugmentWide.Factory.BINS,
                    TrivialAugmentWide.Factory.INTERPOLATION,
                    Paint.FILL,
                    Paint.MASK_FILL);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            Interpolation interpolation = options.get(TrivialAugmentWide.Factory.INTERPOLATION);
            return new RandAugment(
                    options.get(NUM_OPS),
                    options.get(MAGNITUDE),
                    options.get(TrivialAugmentWide.Factory.BINS),
                    Paint.of(interpolation, options));
        }
    }
}
