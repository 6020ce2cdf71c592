package io.millrace.train.input;

/**
 * An encoding of class numbers as zeros and ones, with one value for each class.
 *
 * @param classes the number of classes, which are numbered from 0
 */
public record Encoding(Kind kind, int classes) {
    enum Kind {
        /** One number for each place: a label, or each pixel of a mask. */
        ONE_HOT,
        /** Any number of class numbers for a row, from a ragged column. The value of each of these classes is 1. */
        MULTI_HOT
    }

    /** Returns the name in pipeline files. */
    String describe() {
        return kind == Kind.ONE_HOT ? "OneHot" : "MultiHot";
    }
}
