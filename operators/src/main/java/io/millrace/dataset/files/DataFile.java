package io.millrace.dataset.files;

import io.millrace.dataset.storage.LocalCopy;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.FileState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One file of a dataset. It is immutable, so any thread may use it.
 *
 * @param storage the storage that holds the file
 * @param path the path within the storage; empty where the storage is the file itself
 */
public record DataFile(Storage storage, String path) {
    /** Returns the file's name for messages. */
    public String name() {
        return storage.display(path);
    }

    /** Returns the file's current size and time of modification. */
    public FileState state() throws IOException {
        return storage.state(path);
    }

    /** Opens the file. The caller closes it. */
    public RangedFile open() throws IOException {
        return storage.ranged(path);
    }

    /**
     * Returns the file or a copy of it on this machine, for libraries that read only local files. The caller closes
     * it.
     */
    public LocalCopy localCopy() throws IOException {
        return storage.localCopy(path);
    }

    /** Returns the file's path on this machine; empty when the file is elsewhere. */
    public Optional<Path> local() {
        return storage.local(path);
    }
}
