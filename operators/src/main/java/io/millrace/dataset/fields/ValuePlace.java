package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;

/**
 * The place of a stored value, for messages about a bad value.
 *
 * @param file the file, or the file and the member or row within it
 * @param offset the offset in bytes, or -1 where no offset is known
 */
public record ValuePlace(String file, long offset) {

    /** Returns the exception for a value that makes its sample bad. */
    public BadSampleException badSample(String reason) {
        return new BadSampleException(file, offset, reason);
    }
}
