package io.millrace.source;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The identity of the run that a checkpoint belongs to: the settings that define the meaning of its positions, and its
 * folder.
 *
 * @param positionSettings the settings that decide which sample has which position and how it is transformed, each as
 *     text under its key; empty when they are not known
 * @param folder the run's folder, empty when it is not known
 */
public record RunIdentity(Map<String, String> positionSettings, String folder) implements Serializable {
    /** The identity in a checkpoint that stores none. */
    public static final RunIdentity UNKNOWN = new RunIdentity(Map.of(), "");

    private static final String ABSENT = "nothing";

    /** The key that every identity has, except those of version 0.1.0, which know nothing of a dataset but its size. */
    private static final String FORMAT = "dataset.format";

    public RunIdentity {
        positionSettings = Map.copyOf(positionSettings);
    }

    /** Returns whether identities of version 0.1.0 lack a key. */
    private static boolean isLater(String key) {
        boolean ofDataset = key.startsWith("dataset.") || key.startsWith("evaluate.dataset.");
        return (ofDataset && !key.endsWith("dataset.size")) || key.startsWith("train.ranks.");
    }

    /**
     * Returns a sentence for each setting that differs, in the order of the keys. The result is empty when one of the
     * two identities is not known.
     *
     * @param checkpoint the identity in a checkpoint that this run would continue from
     */
    public List<String> differencesTo(RunIdentity checkpoint) {
        List<String> differences = new ArrayList<>();
        if (positionSettings.isEmpty() || checkpoint.positionSettings.isEmpty()) {
            return differences;
        }
        TreeSet<String> keys = new TreeSet<>(positionSettings.keySet());
        keys.addAll(checkpoint.positionSettings.keySet());
        Map<String, String> theirs = new TreeMap<>(checkpoint.positionSettings);
        if (!theirs.containsKey(FORMAT)) {
            keys.removeIf(RunIdentity::isLater);
        }
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
