package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.Collections;
import java.util.List;

/** A transform that applies one of its nested transforms. */
final class RandomChoice implements Transform {
    private final NestedTransforms nested;
    /** Element i is the sum of the weights up to and including transform i. */
    private final double[] sums;

    private int latest;

    private RandomChoice(NestedTransforms nested, List<Double> weights) {
        this.nested = nested;
        this.sums = new double[weights.size()];
        double sum = 0;
        for (int i = 0; i < sums.length; i++) {
            sum += weights.get(i);
            sums[i] = sum;
        }
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        double drawn = random.nextDouble() * sums[sums.length - 1];
        latest = 0;
        while (latest < sums.length - 1 && drawn >= sums[latest]) {
            latest++;
        }
        nested.apply(latest, sample, random);
    }

    @Override
    public String drawn() {
        return nested.drawn(latest);
    }

    /** The factory of {@code RandomChoice}. */
    public static final class Factory implements TransformFactory {
        private static final Option<List<Double>> WEIGHTS = Option.of(
                        "p",
                        OptionType.listOf(OptionType.NUMBER.where(value -> value >= 0, "numbers of at least 0")),
                        "The weight of each transform, in any unit. Default: equal weights.")
                .optional();

        @Override
        public String name() {
            return "RandomChoice";
        }

        @Override
        public String help() {
            return "Applies one of a list of transforms.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(NestedTransforms.OPTION, WEIGHTS);
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return NestedTransforms.outputSize(options);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return NestedTransforms.movesPixels(options);
        }

        @Override
        public Transform create(OptionValues options) {
            NestedTransforms nested = NestedTransforms.of(options);
            List<Double> weights = options.find(WEIGHTS).orElse(Collections.nCopies(nested.count(), 1.0));
            if (weights.size() != nested.count()) {
                throw new IllegalArgumentException(
                        "p: expected as many numbers as transforms, " + nested.count() + ", found " + weights.size());
            }
            if (weights.stream().mapToDouble(weight -> weight).sum() <= 0) {
                throw new IllegalArgumentException("p: expected at least one number above 0, found " + weights);
            }
            return new RandomChoice(nested, weights);
        }
    }
}
