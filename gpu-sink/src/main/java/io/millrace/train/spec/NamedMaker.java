package io.millrace.train.spec;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import java.util.List;

/**
 * A choice together with the code that builds it.
 *
 * @param maker the code that builds the object from the option values
 */
public record NamedMaker<M>(String name, String help, List<Option<?>> options, M maker) implements Choice {
    public NamedMaker {
        options = List.copyOf(options);
    }
}
