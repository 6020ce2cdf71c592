package io.millrace.preview;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The creation of a folder that must be writable. */
public final class WritableFolder {
    private WritableFolder() {}

    /**
     * Creates the folder and its parents.
     *
     * @throws PreviewException when the folder cannot be created or written
     */
    public static void make(Path folder) throws PreviewException {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw new PreviewException(
                    "cannot write to " + folder + ": " + e.getFile() + " is a file, expected a folder", e);
        } catch (IOException e) {
            throw new PreviewException("cannot create the folder " + folder + ": " + e, e);
        }
        if (!Files.isWritable(folder)) {
            throw new PreviewException("no permission to write to " + folder, null);
        }
    }
}
