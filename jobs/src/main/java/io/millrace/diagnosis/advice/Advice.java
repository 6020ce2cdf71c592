package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.CapacityModel;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing to change.
 *
 * @param reason a sentence: what was seen, and what the change costs beside speed, if anything
 * @param settings for {@code --set}, each {@code key=value}; empty where the change is none of the pipeline file's
 * @param action what to do where there are no settings; else empty
 * @param effect what the change does to the stages' costs; null when the model cannot tell
 */
public record Advice(
        String reason,
        List<String> settings,
        String action,
        @Nullable UnaryOperator<CapacityModel> effect) {
    public Advice {
        settings = List.copyOf(settings);
        if (settings.isEmpty() == action.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected either settings or an action, found " + settings + " and '" + action + "'");
        }
    }

    static Advice set(String reason, List<String> settings, @Nullable UnaryOperator<CapacityModel> effect) {
        return new Advice(reason, settings, "", effect);
    }

    static Advice act(String reason, String action, @Nullable UnaryOperator<CapacityModel> effect) {
        return new Advice(reason, List.of(), action, effect);
    }

    /** The change as a user would make it. */
    public String change() {
        return settings.isEmpty()
                ? action
                : settings.stream().map(setting -> "--set " + quoted(setting)).collect(Collectors.joining(" "));
    }

    /** What a shell would take apart is quoted. */
    private static String quoted(String setting) {
        return setting.matches("[A-Za-z0-9_.,=:/%-]+") ? setting : "'" + setting.replace("'", "'\\''") + "'";
    }
}
