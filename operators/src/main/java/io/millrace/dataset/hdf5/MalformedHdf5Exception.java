package io.millrace.dataset.hdf5;

import java.io.IOException;

/** An exception for a fault in the structure of a file. It contains the offset of the fault in the file. */
final class MalformedHdf5Exception extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    MalformedHdf5Exception(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    long offset() {
        return offset;
    }
}
