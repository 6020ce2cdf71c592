package io.millrace.train.loss;

import io.millrace.option.Choice;
import io.millrace.option.OptionValues;

/**
 * A loss that a pipeline file can choose by name. Millrace finds its own losses and those of other jars in the same
 * way: by a line in {@code META-INF/services/io.millrace.train.loss.LossFactory}. Stateless, with a public constructor
 * without parameters.
 */
public interface LossFactory extends Choice {
    /**
     * Creates the loss. This method is also called when a pipeline file is read, so that an exception is reported with
     * its line in the file.
     *
     * @param options the values of {@link #options}
     * @throws IllegalArgumentException when the values contradict each other
     */
    Loss create(OptionValues options);
}
