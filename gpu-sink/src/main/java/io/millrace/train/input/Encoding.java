package io.millrace.train.input;

/**
 * Class numbers written as zeros and ones, a value for each class.
 *
 * @param classes how many, numbered from 0
 */
public record Encoding(Kind kind, int classes) {
    enum Kind {
        /** One number for each place: a label, or each pixel of a mask. */
        ONE_HOT,
        /** Any number of class numbers for a row, from a ragged column: all of them are set. */
        MULTI_HOT
    }

    /** As the pipeline file calls it. */
    String told() {
        return kind == Kind.ONE_HOT ? "OneHot" : "MultiHot";
    }
}
