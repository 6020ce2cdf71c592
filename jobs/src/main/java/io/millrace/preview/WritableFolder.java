package io.millrace.preview;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder to write to, made where it is not there. */
public final class WritableFolder {
    private WritableFolder() {}

    /**
     * Makes the folder and those above it.
     *
     * @throws PreviewException when it cannot be made or written to, with a sentence
     */
    public static void make(Path folder) throws PreviewException {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw new PreviewException(
                    "cannot write to " + folder + ": " + e.getFile() + " is a file, expected a folder", e);
        } catch (IOException e) {
            throw new PreviewException("cannot make the folder " + folder + ": " + e, e);
        }
        if (!Files.isWritable(folder)) {
            throw new PreviewException("no permission to write to " + folder, null);
        }
    }
}
