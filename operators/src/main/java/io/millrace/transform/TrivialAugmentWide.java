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
 * A transform that applies one random operation of random magnitude: "TrivialAugment" (Müller and Hutter, 2021), as
 * torchvision does.
 */
final class TrivialAugmentWide implements Transform {
    private final int bins;
    private final Augmenter augmenter;

    private TrivialAugmentWide(int bins, Paint paint) {
        this.bins = bins;
        this.augmenter = new Augmenter("TrivialAugmentWide", paint);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = augmenter.begin(sample);
        Augmentation operation = AugmentationSpace.OPERATIONS.get(random.nextInt(AugmentationSpace.OPERATIONS.size()));
        int bin = random.nextInt(bins);
        double unsigned = AugmentationSpace.WIDE.magnitude(operation, bin, bins, extent);
        augmenter.apply(sample, operation, Augmenter.sign(operation, unsigned, random));
    }

    @Override
    public String drawn() {
        return augmenter.drawn();
    }

    /** The factory of {@code TrivialAugmentWide}. */
    public static final class Factory implements TransformFactory {
        static final Option<Integer> BINS = Option.of(
                        "num_magnitude_bins",
                        OptionType.INTEGER.where(value -> value >= 2, "2 or more"),
                        "The number of magnitudes, evenly spaced.")
                .orElse(31);

        static final Option<Interpolation> INTERPOLATION = ResampleOptions.warp(Interpolation.NEAREST);

        @Override
        public String name() {
            return "TrivialAugmentWide";
        }

        @Override
        public String help() {
            return "Applies one random operation of random magnitude.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(BINS, INTERPOLATION, Paint.FILL, Paint.MASK_FILL);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new TrivialAugmentWide(options.get(BINS), Paint.of(options.get(INTERPOLATION), options));
        }
    }
}
