package io.millrace.diagnosis.advice;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are made together.
 *
 * @param changes in the order in which they were found, each on top of those before
 * @param samplesPerSecond with all of them; null when unknown
 */
public record Plan(List<Advice> changes, @Nullable Double samplesPerSecond) {
    public Plan {
        changes = List.copyOf(changes);
    }

    /** For {@code --set}, each key once: what came later had seen what came before. */
    public List<String> settings() {
        Map<String, String> byKey = new LinkedHashMap<>();
        for (Advice change : changes) {
            for (String setting : change.settings()) {
                byKey.put(setting.substring(0, setting.indexOf('=')), setting);
            }
        }
        return List.copyOf(byKey.values());
    }
}
