package io.millrace.pack;

import java.io.IOException;

/** An exception for a pack that cannot be written. The message is for the user. */
public class PackException extends IOException {
    private static final long serialVersionUID = 1;

    public PackException(String message) {
        super(message);
    }
}
