package io.millrace.dataset.files;

import io.millrace.dataset.storage.LocalCopy;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.FileState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One file of a dataset. Immutable, for any thread.
 *
 * @param path within the storage; empty where the storage is the file itself
 */
public record DataFile(Storage storage, String path) {
    /** What a person calls it. */
    public String name() {
        return storage.display(path);
    }

    /** Its size and time of modification, now. */
    public FileState state() throws IOException {
        return storage.state(path);
    }

    /** Opens it; the caller closes. */
    public RangedFile open() throws IOException {
        return storage.ranged(path);
    }

    /** It, or a copy of it, on this machine, for libraries that read nothing else; the caller closes. */
    public LocalCopy localCopy() throws IOException {
        return storage.localCopy(path);
    }

    /** Its path on this machine, empty where it is elsewhere. */
    public Optional<Path> local() {
        return storage.local(path);
    }
}
