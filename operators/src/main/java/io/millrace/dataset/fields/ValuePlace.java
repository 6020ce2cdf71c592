package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;

/**
 * Where a stored value stands, for what is said of it when it is bad.
 *
 * @param file the file, or the file and the member or row within it
 * @param offset in bytes, or -1 where none is known
 */
public record ValuePlace(String file, long offset) {

    /** The exception for a value that is not what it should be. */
    public BadSampleException badSample(String reason) {
        return new BadSampleException(file, offset, reason);
    }
}
