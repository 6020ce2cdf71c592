package io.millrace.dataset;

import java.util.List;
import java.util.Optional;

/**
 * The labels of a dataset: whether its samples have them, and otherwise what in its files could be read as labels. Labels that no file
 * contains are never made up, so a loss that needs labels refuses a dataset without them.
 *
 * <p>Tested by {@code LabelCandidatesTest}.
 *
 * @param state whether the samples have labels
 * @param candidates what could be the labels, with its types, the most likely first; at most {@link #MOST_CANDIDATES}
 * @param remedy what to do so that the first candidate is read, as an imperative sentence; empty without candidates
 */
public record StoredLabels(State state, List<String> candidates, Optional<String> remedy) {
    /** The largest number of candidates. More would not make a message clearer. */
    public static final int MOST_CANDIDATES = 8;

    /** The labels of a dataset whose samples have them. */
    public static final StoredLabels PRESENT = new StoredLabels(State.PRESENT, List.of(), Optional.empty());

    /** Whether samples have labels. */
    public enum State {
        /** The samples have labels. */
        PRESENT,
        /** The pipeline file names the fields to read, and no label among them. */
        NOT_NAMED,
        /** The format's default fields are read, and no label was found. */
        NOT_FOUND
    }

    public StoredLabels {
        candidates = candidates.stream().limit(MOST_CANDIDATES).toList();
    }

    /** Returns whether the samples have labels. */
    public boolean isPresent() {
        return state == State.PRESENT;
    }

    /** Returns the sentences that tell what could be the labels, and how to read it; "nothing ... could be" without candidates. */
    public String advice() {
        if (remedy.isEmpty()) {
            return "nothing in its files could be a label";
        }
        return String.join(", ", candidates) + " could be " + (candidates.size() == 1 ? "the label" : "labels") + ": "
                + remedy.get();
    }

    /**
     * Returns the sentence for users who read the dataset without its labels; empty when it has labels, or the pipeline file leaves
     * them out.
     */
    public Optional<String> remark() {
        return state == State.NOT_FOUND && remedy.isPresent()
                ? Optional.of("the samples have no labels; " + advice())
                : Optional.empty();
    }
}
