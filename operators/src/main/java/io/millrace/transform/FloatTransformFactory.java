package io.millrace.transform;

import io.millrace.image.FloatStep;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;

/**
 * A factory of a transform that converts a field to 32-bit floats and computes with them in one step. The step is numbers, so the
 * transform runs on the data servers, on the device, and in Python clients alike: a subclass is all that a new one needs.
 */
public abstract class FloatTransformFactory implements TransformFactory {
    private static final Option<String> FIELD = Option.of(
                    "field", OptionType.TEXT, "The field whose numbers are converted.")
            .orElse(Sample.IMAGE);

    private final String name;
    private final String help;
    private final List<Option<?>> numbers;

    /**
     * Creates a factory.
     *
     * @param name the name in pipeline files
     * @param help one line for the documentation
     * @param numbers the options that decide the step
     */
    protected FloatTransformFactory(String name, String help, Option<?>... numbers) {
        this.name = name;
        this.help = help;
        this.numbers = List.of(numbers);
    }

    /**
     * Returns the arithmetic of the transform.
     *
     * @throws IllegalArgumentException when values that are valid one by one contradict each other
     */
    public abstract FloatStep step(OptionValues options);

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String help() {
        return help;
    }

    /** Returns the options that decide the step: all but {@code field}. */
    public final List<Option<?>> numbers() {
        return numbers;
    }

    @Override
    public final List<Option<?>> options() {
        List<Option<?>> options = new ArrayList<>(numbers);
        options.add(FIELD);
        return List.copyOf(options);
    }

    @Override
    public final Transform create(OptionValues options) {
        return new FloatTransform(name, options.get(FIELD), step(options));
    }
}
