package io.millrace.pack;

import java.io.IOException;

/** A pack that cannot be made. The message is for the user. */
public class PackException extends IOException {
    private static final long serialVersionUID = 1;

    public PackException(String message) {
        super(message);
    }
}
