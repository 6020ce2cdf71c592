package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;

/**
 * The place of a stored value, for messages about a bad value.
 *
 * @param name the file, or the file and the member within it
 * @param row the value's row in the file, or -1 when the name alone is the place
 * @param offset the offset in bytes, or -1 where no offset is known
 */
public record ValuePlace(String name, long row, long offset) {

    /** Creates the place of a value that is not in a row. */
    public ValuePlace(String name, long offset) {
        this(name, -1, offset);
    }

    /** Returns the file, or the file and the member or row within it. */
    public String file() {
        return row < 0 ? name : name + "#" + row;
    }

    /** Returns the exception for a value that makes its sample bad. */
    public BadSampleException badSample(String reason) {
        return new BadSampleException(file(), offset, reason);
    }
}
