package io.millrace.train.spec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The target {@code labels} of packed sequences: for each token the next one of its document. It is computed from the fields of
 * {@code pack_sequences}, unless the samples have a field of this name. Stateless.
 */
public final class NextTokens {
    /** The target's name, which is also the name of this field for Python clients. */
    public static final String TARGET = "labels";

    /** The tokens of a row, whole numbers [length]. */
    public static final String TOKENS = "tokens";

    /** The lengths of the documents of a row, ragged whole numbers. */
    public static final String LENGTHS = "lengths";

    /** A mask of the tokens that are labels, [length]: 0 for those that are none. A batch may lack it. */
    public static final String LABEL_MASK = "label_mask";

    private NextTokens() {}

    /** Returns whether a target is computed from other fields of the samples or batches with these fields. */
    public static boolean isComputed(String target, Collection<String> fields) {
        return target.equals(TARGET) && !fields.contains(TARGET) && fields.contains(TOKENS) && fields.contains(LENGTHS);
    }

    /** Returns those of some fields, of samples or of a batch, from which the target is computed. */
    public static List<String> sources(Collection<String> fields) {
        List<String> sources = new ArrayList<>(List.of(TOKENS, LENGTHS));
        if (fields.contains(LABEL_MASK)) {
            sources.add(LABEL_MASK);
        }
        return sources;
    }
}
