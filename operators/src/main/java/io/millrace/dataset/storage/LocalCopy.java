package io.millrace.dataset.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A file on this machine, for libraries that read only local files. The file stays there until this object is closed.
 */
public final class LocalCopy implements Closeable {
    private final String name;
    private final Path path;
    private final Runnable release;

    LocalCopy(String name, Path path, Runnable release) {
        this.name = name;
        this.path = path;
        this.release = release;
    }

    /** Returns the path of the file. */
    public Path path() {
        return path;
    }

    /**
     * Opens the file for reading at any position by any thread, under the name of the original. The caller closes it
     * before this object.
     */
    public RangedFile ranged() throws IOException {
        return LocalRangedFile.open(path, name);
    }

    @Override
    public void close() {
        release.run();
    }
}
