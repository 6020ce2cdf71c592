package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The files below a root, which may be a directory or a single file. They are named by their path relative to the root,
 * with {@code /} between names; the empty path is the root itself. Symbolic links are followed.
 *
 * <p>Immutable and safe from any thread.
 */
public sealed interface Storage permits LocalStorage, FlinkStorage {
    /** What stands at a path. */
    enum Kind {
        MISSING,
        FILE,
        DIRECTORY
    }

    /**
     * A name in a directory.
     *
     * @param kind a file or a directory; a link to nothing counts as a file, so that reading it says what is wrong
     */
    record Entry(String name, Kind kind) {}

    /**
     * What tells whether a file is the one that was looked at before.
     *
     * @param size in bytes
     * @param modifiedMillis since 1970, as the file system says
     */
    record FileState(long size, long modifiedMillis) {}

    /** The largest file that {@link #read} takes, in bytes. */
    long MAX_READ_BYTES = 1L << 30;

    /** Files on this machine, for a plain path or a {@code file:} URI, or else in the file system of its scheme. */
    static Storage of(String root) throws IOException {
        return of(root, StorageOptions.STANDARD);
    }

    /**
     * As {@link #of(String)}; files that are not on this machine are read as the options say.
     *
     * @throws DatasetException when there is no such file system here, with a sentence for the user
     */
    static Storage of(String root, StorageOptions options) throws IOException {
        boolean plain = !Pattern.matches("[A-Za-z][A-Za-z0-9+.-]*:/.*", root);
        if (plain || root.startsWith("file:")) {
            try {
                return new LocalStorage(
                        root, Path.of(plain ? root : URI.create(root).getPath()));
            } catch (IllegalArgumentException e) {
                throw new DatasetException(root + " is no path on this machine: " + e.getMessage(), e);
            }
        }
        return FlinkStorage.of(root, options);
    }

    /** What a person calls this file: the root as it was given, and the path below it. */
    String display(String path);

    /** What stands there. */
    Kind kind(String path) throws IOException;

    /** What a directory holds, in no order. */
    List<Entry> list(String directory) throws IOException;

    /** The whole content of a file of up to {@link #MAX_READ_BYTES}; the caller owns the array. */
    byte[] read(String file) throws IOException;

    /**
     * A file's size and time of modification.
     *
     * @throws java.nio.file.NoSuchFileException when there is none
     */
    FileState state(String file) throws IOException;

    /** Opens a file for reading at any place, by any thread; the caller closes it. */
    RangedFile ranged(String file) throws IOException;

    /** A file's content as a stream without a buffer; the caller closes it. */
    InputStream open(String file) throws IOException;

    /** The file's path on this machine, empty where it is elsewhere. */
    Optional<Path> local(String file);

    /**
     * The file on this machine: where it is, or a copy in the cache. The caller closes it.
     *
     * @throws DatasetException when it is elsewhere and there is no cache, or too small a one, with a sentence for the user
     */
    LocalCopy localCopy(String file) throws IOException;
}
