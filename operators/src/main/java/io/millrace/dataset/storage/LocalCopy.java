package io.millrace.dataset.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A file on this machine, for libraries that read nothing else. It stays there until this is closed. */
public final class LocalCopy implements Closeable {
    private final String name;
    private final Path path;
    private final Runnable release;

    LocalCopy(String name, Path path, Runnable release) {
        this.name = name;
        this.path = path;
        this.release = release;
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Opens it for reading at any place, by any thread, under the name of the original; the caller closes it before this. */
    public RangedFile ranged() throws IOException {
        return LocalRangedFile.open(path, name);
    }

    @Override
    public void close() {
        release.run();
    }
}
