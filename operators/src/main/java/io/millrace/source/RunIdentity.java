package io.millrace.source;

import io.millrace.order.MixturePlan;
import io.millrace.order.SkippedSteps;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    /** The key of the phases of a mixture, see {@link MixturePlan}. */
    public static final String MIX = "mix";

    /** The key of the steps that are left out, see {@link SkippedSteps}. */
    public static final String SKIPPED = "order.skip_steps";

    /** The key of the names of a mixture's datasets, and the beginning of the keys of each of them. */
    public static final String DATASETS = "datasets";

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
     * Returns a sentence for each setting that differs, in the order of the keys. The result is empty when one of the two identities is
     * not known. The shares of a mixture and the steps that are left out may differ in steps that have not been read yet, and datasets
     * may have been added to a mixture.
     *
     * @param checkpoint the identity in a checkpoint that this run would continue from
     * @param step the first training step of which nothing has been read; {@link Long#MAX_VALUE} when it is not known
     */
    public List<String> differencesTo(RunIdentity checkpoint, long step) {
        List<String> differences = new ArrayList<>();
        if (positionSettings.isEmpty() || checkpoint.positionSettings.isEmpty()) {
            return differences;
        }
        TreeSet<String> keys = new TreeSet<>(positionSettings.keySet());
        keys.addAll(checkpoint.positionSettings.keySet());
        Map<String, String> theirs = new TreeMap<>(checkpoint.positionSettings);
        if (!theirs.containsKey(FORMAT) && !theirs.containsKey(DATASETS)) {
            keys.removeIf(RunIdentity::isLater);
        }
        keys.removeIf(key -> isAdded(key, theirs));
        for (String key : keys) {
            String had = theirs.getOrDefault(key, ABSENT);
            String has = positionSettings.getOrDefault(key, ABSENT);
            if (!had.equals(has) && !mayDiffer(key, had, has)) {
                differences.add(key + ": the checkpoint has " + had + ", this run " + has);
            }
        }
        futureDifference(theirs, step).ifPresent(differences::add);
        return differences;
    }

    /** Returns whether a key is one of a dataset that the checkpoint's mixture does not have. */
    private static boolean isAdded(String key, Map<String, String> theirs) {
        String names = theirs.get(DATASETS);
        return names != null
                && key.startsWith(DATASETS + ".")
                && !List.of(names.split(" ", -1)).contains(key.split("[.]", -1)[1]);
    }

    /** Returns whether a setting is compared step by step, or has only additions at its end. */
    private static boolean mayDiffer(String key, String had, String has) {
        return key.equals(MIX)
                || key.equals(SKIPPED)
                || (key.equals(DATASETS) && !had.equals(ABSENT) && has.startsWith(had + " "));
    }

    /** Returns the sentence on the first step that differs, if it has been read already. */
    private Optional<String> futureDifference(Map<String, String> theirs, long step) {
        SkippedSteps skipped = SkippedSteps.parse(positionSettings.getOrDefault(SKIPPED, ""));
        long bySkipping = skipped.firstDifference(SkippedSteps.parse(theirs.getOrDefault(SKIPPED, "")));
        String had = theirs.get(MIX);
        String has = positionSettings.get(MIX);
        Optional<String> byMix = Optional.empty();
        if (had != null && has != null) { // if only one is a mixture, other settings differ, too
            long inPlan = MixturePlan.parse(has).firstDifference(MixturePlan.parse(had));
            byMix = refusal(MIX, inPlan == Long.MAX_VALUE ? inPlan : skipped.inRun(inPlan), had, has, step);
        }
        return byMix.or(
                () -> refusal(SKIPPED, bySkipping, theirs.getOrDefault(SKIPPED, ABSENT), skipped.toString(), step));
    }

    private static Optional<String> refusal(String key, long difference, String had, String has, long step) {
        if (difference >= step) {
            return Optional.empty();
        }
        String read = step == Long.MAX_VALUE ? "" : ". Steps before " + step + " have been read, and cannot be changed";
        return Optional.of(key + ": the checkpoint has " + had + ", this run " + (has.isEmpty() ? ABSENT : has)
                + ", which differs from step " + difference + " on" + read);
    }
}
