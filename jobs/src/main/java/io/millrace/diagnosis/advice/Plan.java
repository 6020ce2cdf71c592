package io.millrace.diagnosis.advice;

import java.util.List;
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

    /** For {@code --set}, in order: later ones win. */
    public List<String> settings() {
        return changes.stream().flatMap(change -> change.settings().stream()).toList();
    }
}
