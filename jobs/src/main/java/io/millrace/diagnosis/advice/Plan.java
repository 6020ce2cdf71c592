package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.Prediction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plan of changes that are made together.
 *
 * @param changes the changes in the order in which they were found; each one assumes the changes before it
 * @param prediction the predicted throughput with all changes; null when unknown
 */
public record Plan(List<Advice> changes, @Nullable Prediction prediction) {
    public Plan {
        changes = List.copyOf(changes);
    }

    /**
     * Returns the settings for {@code --set}, each key once. The last setting of a key counts, because it was found with the
     * earlier settings in place.
     */
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
