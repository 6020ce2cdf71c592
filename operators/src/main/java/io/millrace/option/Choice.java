package io.millrace.option;

import java.util.List;

/** A component that a pipeline file can name, with its options: {@code adam: {learning_rate: 0.001}}. Stateless. */
public interface Choice {
    /** Returns the name in pipeline files. */
    String name();

    /** Returns a one-line description for the documentation. */
    String help();

    /** Returns the names that other programs have for it, for hints where a pipeline file uses one of them. */
    default List<OtherName> alsoCalled() {
        return List.of();
    }

    /** Returns the declared options. */
    List<Option<?>> options();
}
