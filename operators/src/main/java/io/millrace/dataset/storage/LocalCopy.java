package io.millrace.dataset.storage;

import java.io.Closeable;
import java.nio.file.Path;

/** A file on this machine, for libraries that read nothing else. It stays there until this is closed. */
public final class LocalCopy implements Closeable {
    private final Path path;
    private final Runnable release;

    LocalCopy(Path path, Runnable release) {
        this.path = path;
        this.release = release;
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    @Override
    public void close() {
        release.run();
    }
}
