package io.millrace.train.input;

import java.util.OptionalLong;

/**
 * The class numbers that a field may have.
 *
 * @param classes how many there are, numbered from 0
 * @param ignored a number that is none of them and yet allowed
 */
public record ClassRange(int classes, OptionalLong ignored) {
    /** The least number. */
    public long least() {
        return Math.min(0, ignored.orElse(0));
    }

    /** The largest number. */
    public long most() {
        return Math.max(classes - 1L, ignored.orElse(0));
    }
}
