package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;

/** An exception for a path that leads to a FIFO, a socket or a device, which are never opened. */
public final class NotAFileException extends DatasetException {
    private static final long serialVersionUID = 1;

    private final String found;

    /**
     * Creates the exception.
     *
     * @param name the path for people
     * @param found what was found there, such as "a FIFO"
     */
    NotAFileException(String name, String found) {
        super(name + " is " + found + ": expected a file");
        this.found = found;
    }

    /** Returns what was found at the path, such as "a FIFO". */
    public String found() {
        return found;
    }
}
