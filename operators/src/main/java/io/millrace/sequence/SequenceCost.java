package io.millrace.sequence;

import java.io.Serializable;
import java.util.List;

/**
 * The work of a model for a sequence: a part for each token, and a part for each pair of tokens of the same document, because attention
 * compares them.
 *
 * @param perToken the work for a token, 0 or more
 * @param perSquare the work for the square of a document's length, 0 or more
 */
public record SequenceCost(double perToken, double perSquare) implements Serializable {
    /** The number of tokens. */
    public static final SequenceCost TOKENS = new SequenceCost(1, 0);

    public SequenceCost {
        if (!(perToken >= 0 && perSquare >= 0 && Double.isFinite(perToken + perSquare))) {
            throw new IllegalArgumentException(
                    "expected costs of 0 or more for a token and for the square of a length, found " + perToken
                            + " and " + perSquare);
        }
    }

    /** Returns the work for a document, or for a part of one that is alone in its attention. */
    public double of(int tokens) {
        return perToken * tokens + perSquare * tokens * tokens;
    }

    /** Returns the work for a pack. */
    public double of(List<Slice> pack) {
        double sum = 0;
        for (Slice slice : pack) {
            sum += of(slice.length());
        }
        return sum;
    }
}
