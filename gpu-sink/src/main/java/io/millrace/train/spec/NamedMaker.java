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

    /**
     * Returns the maker of the choice with the part's name.
     *
     * @param kind the word for a choice of this kind in messages
     * @throws TrainSpecException when there is no choice with that name
     */
    public static <M> M find(List<NamedMaker<M>> all, String kind, Component part) {
        for (NamedMaker<M> candidate : all) {
            if (candidate.name.equals(part.name())) {
                return candidate.maker;
            }
        }
        throw new TrainSpecException("no " + kind + " '" + part.name() + "', known are "
                + all.stream().map(NamedMaker::name).toList());
    }
}
