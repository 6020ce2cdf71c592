package io.millrace.train;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import java.util.List;

/**
 * A choice together with what makes it.
 *
 * @param maker builds what was chosen from the option values
 */
record Named<M>(String name, String help, List<Option<?>> options, M maker) implements Choice {
    Named {
        options = List.copyOf(options);
    }

    /**
     * The one of that name.
     *
     * @param kind what is chosen, for the error
     */
    static <M> M find(List<Named<M>> all, String kind, TrainSpec.Part part) {
        for (Named<M> candidate : all) {
            if (candidate.name.equals(part.name())) {
                return candidate.maker;
            }
        }
        throw new TrainSpecException("no " + kind + " '" + part.name() + "', known are "
                + all.stream().map(Named::name).toList());
    }
}
