package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.report.ShellWord;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A proposal for one change.
 *
 * @param reason a clause with the observation, and with the side effects of the change if it has any
 * @param settings the settings for {@code --set}, each {@code key=value}; empty when the change is not one of the pipeline
 *     file
 * @param action the instruction for the user when there are no settings; otherwise empty
 * @param changesValues whether pixels or other values of the samples differ after the change
 * @param gain the gain, when it is not one of samples per second; otherwise empty
 * @param effect the effect of the change on the costs of the stages; null when the model cannot predict it
 */
public record Advice(
        String reason,
        List<String> settings,
        String action,
        boolean changesValues,
        String gain,
        @Nullable UnaryOperator<CapacityModel> effect) {
    public Advice {
        settings = List.copyOf(settings);
        if (settings.isEmpty() == action.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected either settings or an action, found " + settings + " and '" + action + "'");
        }
    }

    static Advice set(String reason, List<String> settings, @Nullable UnaryOperator<CapacityModel> effect) {
        return new Advice(reason, settings, "", false, "", effect);
    }

    static Advice act(String reason, String action, @Nullable UnaryOperator<CapacityModel> effect) {
        return new Advice(reason, List.of(), action, false, "", effect);
    }

    /** Returns this proposal, after which pixels or other values of the samples differ. */
    Advice changingValues() {
        return new Advice(reason, settings, action, true, gain, effect);
    }

    /** Returns this proposal with a gain that is not one of samples per second. */
    Advice gaining(String other) {
        return new Advice(reason, settings, action, changesValues, other, effect);
    }

    /** Returns the change as command line options, or as an instruction. */
    public String change() {
        return settings.isEmpty()
                ? action
                : settings.stream()
                        .map(setting -> "--set " + ShellWord.of(setting))
                        .collect(Collectors.joining(" "));
    }
}
