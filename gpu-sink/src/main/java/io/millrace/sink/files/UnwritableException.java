package io.millrace.sink.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * An exception for a file of the run that cannot be written. The message contains both the path and the reason, one of
 * which is missing from the system's own message.
 */
public final class UnwritableException extends IOException {
    private static final long serialVersionUID = 1;

    /** Wraps an exception that was thrown while {@code path} was written. */
    public UnwritableException(Path path, IOException cause) {
        super("cannot write " + path.toAbsolutePath().normalize() + ": " + reason(cause), cause);
    }

    private static String reason(IOException cause) {
        if (cause instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (cause instanceof FileAlreadyExistsException existing) {
            return existing.getFile() + " is a file, not a folder";
        }
        if (cause instanceof FileSystemException broken && broken.getReason() != null) {
            return broken.getReason();
        }
        return String.valueOf(cause.getMessage());
    }
}
