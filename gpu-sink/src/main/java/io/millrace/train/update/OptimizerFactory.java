package io.millrace.train.update;

import io.millrace.option.Choice;
import io.millrace.option.OptionValues;

/**
 * An optimizer that a pipeline file can choose by name. Millrace's own optimizers and those of other jars are found alike, by a line
 * in {@code META-INF/services/io.millrace.train.update.OptimizerFactory}. Stateless, with a public constructor without parameters.
 */
public interface OptimizerFactory extends Choice {
    /**
     * Creates the optimizer. This is also called when a pipeline file is read, so that the message of an exception appears there
     * with its line.
     *
     * @param options the values of {@link #options}
     * @throws IllegalArgumentException when the values contradict each other
     */
    Optimizer create(OptionValues options);
}
