package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files below a root, which may be a directory or a single file. A file is named by its path relative to the root,
 * with {@code /} between names; the empty path is the root itself. The root may be a link, and links below it that
 * stay below it are followed. Links that lead out of it are followed only if {@link StorageOptions#followLinks()}.
 *
 * <p>Immutable and safe for several threads.
 */
public sealed interface Storage permits LocalStorage, FlinkStorage {
    /** The kind of entry at a path. */
    enum Kind {
        MISSING,
        FILE,
        DIRECTORY
    }

    /**
     * An entry of a directory.
     *
     * @param name the name within the directory
     * @param kind a file or a directory; a broken link, a FIFO, a socket and a device count as files, so that reading them
     *     reports the problem
     * @param outside the place outside of the root that the entry leads to if it is a link that is not followed; null
     *     for all other entries
     */
    record Entry(String name, Kind kind, @Nullable Path outside) {
        Entry(String name, Kind kind) {
            this(name, kind, null);
        }
    }

    /**
     * The state of a file, which shows whether it has changed since it was examined.
     *
     * @param size the size in bytes
     * @param modifiedMillis the time of modification in milliseconds since 1970, as the file system reports it
     */
    record FileState(long size, long modifiedMillis) {}

    /** The size in bytes of the largest file that {@link #read} accepts. */
    long MAX_READ_BYTES = 1L << 30;

    /**
     * Returns the storage for a root: this machine for a plain path or a {@code file:} URI, and otherwise the file
     * system of its scheme.
     */
    static Storage of(String root) throws IOException {
        return of(root, StorageOptions.STANDARD);
    }

    /**
     * Returns the storage for a root as {@link #of(String)} does, with options for reading files that are not on this
     * machine.
     *
     * @throws DatasetException when Flink has no such file system; the message is a sentence for the user
     */
    static Storage of(String root, StorageOptions options) throws IOException {
        boolean plain = !Pattern.matches("[A-Za-z][A-Za-z0-9+.-]*:/.*", root);
        if (plain || root.startsWith("file:")) {
            try {
                return new LocalStorage(
                        root, Path.of(plain ? root : URI.create(root).getPath()), options);
            } catch (IllegalArgumentException e) {
                throw new DatasetException(root + " is not a path on this machine: " + e.getMessage(), e);
            }
        }
        return FlinkStorage.of(root, options);
    }

    /** Returns the storage for a copy on this machine, which messages call by the name of the file that it was made from. */
    static Storage copy(String name, Path copy) {
        return new LocalStorage(name, copy, StorageOptions.STANDARD);
    }

    /**
     * Reads a whole file that an option names.
     *
     * @param file the path or the address of the file
     * @throws DatasetException when the file cannot be read; the message is a sentence that begins with the path
     */
    static byte[] readFile(String file, StorageOptions options) throws DatasetException {
        try {
            return of(file, options).read("");
        } catch (NoSuchFileException | FileNotFoundException e) {
            throw new DatasetException(file + " cannot be read: there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new DatasetException(file + " cannot be read: this user has no permission to read it", e);
        } catch (IOException e) {
            throw new DatasetException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Returns a file's name for people: the root as the user wrote it, and the path below it. */
    String display(String path);

    /**
     * Returns the kind of entry at a path.
     *
     * @throws DatasetException when the path leads out of the root through a link that is not followed
     */
    Kind kind(String path) throws IOException;

    /** Returns the entries of a directory, in no order. Callers refuse links that lead out with {@link LinksOut}. */
    List<Entry> list(String directory) throws IOException;

    /**
     * Returns a value that is equal for two paths exactly if they lead to the same directory. It shows links that lead to one
     * of their own parents. The result is empty where there are no links, or where the directory cannot be examined.
     */
    Optional<Object> identity(String directory);

    /**
     * Returns the whole content of a file of up to {@link #MAX_READ_BYTES} bytes. The caller owns the array.
     *
     * @throws NotAFileException when the path leads to a FIFO, a socket or a device, which could block or have no end
     */
    byte[] read(String file) throws IOException;

    /**
     * Returns a file's size and time of modification.
     *
     * @throws NotAFileException when the path leads to a FIFO, a socket or a device, whose size means nothing
     * @throws java.nio.file.NoSuchFileException when the file does not exist
     */
    FileState state(String file) throws IOException;

    /**
     * Opens a file for reading at any position by any thread. The caller closes it.
     *
     * @throws NotAFileException when the path leads to a FIFO, a socket or a device
     */
    RangedFile ranged(String file) throws IOException;

    /**
     * Returns a file's content as a stream without a buffer. The caller closes it.
     *
     * @throws NotAFileException when the path leads to a FIFO, a socket or a device
     */
    InputStream open(String file) throws IOException;

    /** Returns the file's path on this machine; empty when the file is elsewhere. */
    Optional<Path> local(String file);

    /**
     * Returns the file on this machine, or a copy of it in the cache. The caller closes it.
     *
     * @throws DatasetException when the file is on another machine and there is no cache or the cache is too small; the
     *     message is a sentence for the user
     */
    LocalCopy localCopy(String file) throws IOException;
}
