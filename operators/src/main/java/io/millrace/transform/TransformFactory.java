package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/** Makes one kind of transform from its options. Found as a service by {@link #name()}; stateless. */
public interface TransformFactory {
    /** The name in pipeline files: torchvision's where it has one. */
    String name();

    /** One line for the documentation. */
    String help();

    List<Option<?>> options();

    /**
     * Makes the transform for one thread.
     *
     * @throws IllegalArgumentException when values that are fine one by one do not go together
     */
    Transform create(OptionValues options);
}
