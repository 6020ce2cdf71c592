package io.millrace.option;

import java.util.List;

/** A named choice of a pipeline file with its options, as {@code adam: {learning_rate: 0.001}}. Stateless. */
public interface Choice {
    /** The name in pipeline files. */
    String name();

    /** One line for the documentation. */
    String help();

    /** What may be said about it. */
    List<Option<?>> options();
}
