package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A transform that applies all of its nested transforms, one after the other, or none. */
final class RandomApply implements Transform {
    private final NestedTransforms nested;
    private final double probability;
    private boolean applied;

    private RandomApply(NestedTransforms nested, double probability) {
        this.nested = nested;
        this.probability = probability;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        applied = random.nextDouble() < probability;
        for (int i = 0; applied && i < nested.count(); i++) {
            nested.apply(i, sample, random);
        }
    }

    @Override
    public String drawn() {
        return applied
                ? IntStream.range(0, nested.count()).mapToObj(nested::drawn).collect(Collectors.joining("; "))
                : "as is";
    }

    /** The factory of {@code RandomApply}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return "RandomApply";
        }

        @Override
        public String help() {
            return "Applies all of a list of transforms with probability p, otherwise none.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(NestedTransforms.OPTION, Probability.OPTION);
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
            return new RandomApply(NestedTransforms.of(options), options.get(Probability.OPTION));
        }
    }
}
