package io.millrace.source;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which run a checkpoint is of: what gives its positions their meaning, and where it writes.
 *
 * @param meaning the settings that decide which sample stands at which position and what is done to it, each as text
 *     under its key; empty where nothing is known
 * @param folder the run's folder, empty where nothing is known
 */
public record RunIdentity(Map<String, String> meaning, String folder) implements Serializable {
    /** Of a checkpoint that does not say. */
    public static final RunIdentity UNKNOWN = new RunIdentity(Map.of(), "");

    private static final String ABSENT = "nothing";

    public RunIdentity {
        meaning = Map.copyOf(meaning);
    }

    /**
     * What would be another run, a sentence for each setting that differs, in the order of their keys; empty where one
     * of the two is not known.
     *
     * @param checkpoint the identity in a checkpoint that this run would begin from
     */
    public List<String> differencesTo(RunIdentity checkpoint) {
        List<String> differences = new ArrayList<>();
        if (meaning.isEmpty() || checkpoint.meaning.isEmpty()) {
            return differences;
        }
        TreeSet<String> keys = new TreeSet<>(meaning.keySet());
        keys.addAll(checkpoint.meaning.keySet());
        Map<String, String> theirs = new TreeMap<>(checkpoint.meaning);
        for (String key : keys) {
            String had = theirs.getOrDefault(key, ABSENT);
            String has = meaning.getOrDefault(key, ABSENT);
            if (!had.equals(has)) {
                differences.add(key + ": the checkpoint has " + had + ", this run " + has);
            }
        }
        return differences;
    }
}
