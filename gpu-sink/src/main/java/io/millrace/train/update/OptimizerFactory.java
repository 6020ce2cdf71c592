package io.millrace.train.update;

import io.millrace.option.Choice;
import io.millrace.option.OptionValues;

/**
 * An optimizer that a pipeline file can choose by name. Millrace finds its own optimizers and those of other jars in
 * the same way: by a line in {@code META-INF/services/io.millrace.train.update.OptimizerFactory}. Stateless, with a
 * public constructor without parameters.
 */
public interface OptimizerFactory extends Choice {
    /**
     * Creates the optimizer. This method is also called when a pipeline file is read, so that an exception is reported
     * with its line in the file.
     *
     * @param options the values of {@link #options}
     * @throws IllegalArgumentException when the values contradict each other
     */
    Optimizer create(OptionValues options);
}
