package io.millrace.source;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which run a checkpoint is of: what gives its positions their positionSettings, and where it writes.
 *
 * @param positionSettings the settings that decide which sample stands at which position and what is done to it, each as text
 *     under its key; empty where nothing is known
 * @param folder the run's folder, empty where nothing is known
 */
public record RunIdentity(Map<String, String> positionSettings, String folder) implements Serializable {
    /** Of a checkpoint that does not say. */
    public static final RunIdentity UNKNOWN = new RunIdentity(Map.of(), "");

    private static final String ABSENT = "nothing";

    public RunIdentity {
        positionSettings = Map.copyOf(positionSettings);
    }

    /**
     * What would be another run, a sentence for each setting that differs, in the order of their keys; empty where one
     * of the two is not known.
     *
     * @param checkpoint the identity in a checkpoint that this run would begin from
     */
    public List<String> differencesTo(RunIdentity checkpoint) {
        List<String> differences = new ArrayList<>();
        if (positionSettings.isEmpty() || checkpoint.positionSettings.isEmpty()) {
            return differences;
        }
        TreeSet<String> keys = new TreeSet<>(positionSettings.keySet());
        keys.addAll(checkpoint.positionSettings.keySet());
        Map<String, String> theirs = new TreeMap<>(checkpoint.positionSettings);
        for (String key : keys) {
            String had = theirs.getOrDefault(key, ABSENT);
            String has = positionSettings.getOrDefault(key, ABSENT);
            if (!had.equals(has)) {
                differences.add(key + ": the checkpoint has " + had + ", this run " + has);
            }
        }
        return differences;
    }
}
