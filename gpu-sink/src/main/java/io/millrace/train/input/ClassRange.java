package io.millrace.train.input;

import java.util.OptionalLong;

/**
 * The class numbers that a field may have.
 *
 * @param classes the number of classes, which are numbered from 0
 * @param ignored a number that is allowed although it is not a class; empty if there is none
 */
public record ClassRange(int classes, OptionalLong ignored) {
    /** Returns the smallest allowed number. */
    public long least() {
        return Math.min(0, ignored.orElse(0));
    }

    /** Returns the largest allowed number. */
    public long most() {
        return Math.max(classes - 1L, ignored.orElse(0));
    }
}
