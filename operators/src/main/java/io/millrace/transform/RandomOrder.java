package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A transform that applies all of its nested transforms in random order. */
final class RandomOrder implements Transform {
    private final NestedTransforms nested;
    private final int[] order;

    private RandomOrder(NestedTransforms nested) {
        this.nested = nested;
        this.order = new int[nested.count()];
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        // The shuffle of Fisher and Yates, which fills and shuffles the array in one pass.
        for (int i = 0; i < order.length; i++) {
            int place = random.nextInt(i + 1);
            order[i] = order[place];
            order[place] = i;
        }
        for (int i : order) {
            nested.apply(i, sample, random);
        }
    }

    @Override
    public String drawn() {
        return Arrays.stream(order).mapToObj(nested::drawn).collect(Collectors.joining("; "));
    }

    /** The factory of {@code RandomOrder}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return "RandomOrder";
        }

        @Override
        public String help() {
            return "Applies all of a list of transforms in random order.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(NestedTransforms.OPTION);
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
            return new RandomOrder(NestedTransforms.of(options));
        }
    }
}
