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
 * A transform that applies one of 25 learned pairs of operations: "AutoAugment" (Cubuk and others, 2018), as
 * torchvision does.
 */
final class AutoAugment implements Transform {
    private static final int BINS = 10;

    private final AutoAugmentPolicy policy;
    private final Augmenter augmenter;

    private AutoAugment(AutoAugmentPolicy policy, Paint paint) {
        this.policy = policy;
        this.augmenter = new Augmenter("AutoAugment", paint);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = augmenter.begin(sample);
        AutoAugmentPolicy.Pair pair =
                policy.pairs().get(random.nextInt(policy.pairs().size()));
        apply(sample, pair.first(), extent, random);
        apply(sample, pair.second(), extent, random);
    }

    private void apply(Sample sample, AutoAugmentPolicy.Step step, ImageFields.Extent extent, SampleRandom random)
            throws BadSampleException {
        if (random.nextDouble() < step.probability()) {
            double unsigned = AugmentationSpace.STANDARD.magnitude(step.operation(), step.bin(), BINS, extent);
            augmenter.apply(sample, step.operation(), Augmenter.sign(step.operation(), unsigned, random));
        }
    }

    @Override
    public String drawn() {
        return augmenter.drawn();
    }

    /** The factory of {@code AutoAugment}. */
    public static final class Factory implements TransformFactory {
        private static final Option<AutoAugmentPolicy> POLICY = Option.of(
                        "policy",
                        OptionType.choice(AutoAugmentPolicy.class),
                        "The dataset that the operations were learned on.")
                .orElse(AutoAugmentPolicy.IMAGENET);

        private static final Option<Interpolation> INTERPOLATION = ResampleOptions.warp(Interpolation.NEAREST);

        @Override
        public String name() {
            return "AutoAugment";
        }

        @Override
        public String help() {
            return "Applies one of 25 learned pairs of operations.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(POLICY, INTERPOLATION, Paint.FILL, Paint.MASK_FILL);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new AutoAugment(options.get(POLICY), Paint.of(options.get(INTERPOLATION), options));
        }
    }
}
