package io.millrace.sequence;

import java.io.IOException;

/**
 * An exception for a file of counts that was read, and is damaged, not whole, or about other data. It can be deleted, because its numbers can
 * be counted again. The message is a sentence.
 */
public final class UnusableCountsException extends IOException {
    private static final long serialVersionUID = 1;

    UnusableCountsException(String message) {
        super(message);
    }
}
