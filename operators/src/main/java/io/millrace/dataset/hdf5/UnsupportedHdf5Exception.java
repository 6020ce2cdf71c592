package io.millrace.dataset.hdf5;

import java.io.IOException;

/** An exception for a sound part of a file that this package does not read. The message is a clause: "has ...". */
final class UnsupportedHdf5Exception extends IOException {
    private static final long serialVersionUID = 1;

    UnsupportedHdf5Exception(String message) {
        super(message);
    }
}
