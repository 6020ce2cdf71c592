package io.millrace.train.spec;

import io.millrace.option.Choice;
import io.millrace.option.OptionValues;
import java.io.Serializable;
import java.util.List;

/**
 * A named component with its options, such as {@code model: {mlp: {hidden: [128]}}}: a model, a loss, an optimizer, a
 * schedule, a generator or a transform of batches.
 */
public record Component(String name, OptionValues options) implements Serializable {
    /**
     * Returns the choice with the name of this component.
     *
     * @param kind the word for a choice of this kind in messages, such as "model"
     * @throws TrainSpecException if no choice has the name
     */
    public <C extends Choice> C in(List<C> choices, String kind) {
        return choices.stream()
                .filter(choice -> choice.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new TrainSpecException("no " + kind + " '" + name + "', expected one of "
                        + choices.stream().map(Choice::name).toList()));
    }
}
