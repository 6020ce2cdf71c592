package io.millrace.train.spec;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import java.util.List;

/**
 * A choice together with what makes it.
 *
 * @param maker builds what was chosen from the option values
 */
public record Named<M>(String name, String help, List<Option<?>> options, M maker) implements Choice {
    public Named {
        options = List.copyOf(options);
    }

    /**
     * The one of that name.
     *
     * @param kind what is chosen, for the error
     */
    public static <M> M find(List<Named<M>> all, String kind, Component part) {
        for (Named<M> candidate : all) {
            if (candidate.name.equals(part.name())) {
                return candidate.maker;
            }
        }
        throw new TrainSpecException("no " + kind + " '" + part.name() + "', known are "
                + all.stream().map(Named::name).toList());
    }
}
