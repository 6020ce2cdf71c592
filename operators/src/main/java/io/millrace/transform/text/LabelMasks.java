package io.millrace.transform.text;

import java.util.Collection;
import java.util.Optional;

/** The check that a mask of labels reaches the loop that it is made for. */
public final class LabelMasks {
    private LabelMasks() {}

    /**
     * Returns a sentence if the samples of a dataset have tokens with a mask of labels and only the tokens are sent: a loss would then
     * silently count prompts.
     *
     * @param dataset the name of the dataset, for the sentence
     * @param fields the fields of a sample after all transforms
     * @param sent the fields that are sent
     */
    public static Optional<String> remark(String dataset, Collection<String> fields, Collection<String> sent) {
        boolean lost = fields.contains(Tokenize.LABEL_MASK)
                && sent.contains(Tokenize.TOKENS)
                && !sent.contains(Tokenize.LABEL_MASK);
        return lost
                ? Optional.of(dataset + ": the samples have the field '" + Tokenize.LABEL_MASK
                        + "', and train.input does not name it, so labels count all tokens, those of prompts among them."
                        + " Add it to train.input unless that is wanted")
                : Optional.empty();
    }
}
