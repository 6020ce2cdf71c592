package io.millrace.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A folder that is open. Its files are found by their names within it, and links are never followed. Another user who exchanges a
 * folder for a link at the wrong moment therefore cannot lead this process to another folder. One thread uses an object.
 */
final class OpenFolder implements AutoCloseable {
    private final SecureDirectoryStream<Path> stream;

    private OpenFolder(SecureDirectoryStream<Path> stream) {
        this.stream = stream;
    }

    /** Opens a folder, or the folder that a link leads to. The caller closes it. */
    @SuppressWarnings("StreamResourceLeak") // the object that is returned closes it
    static OpenFolder of(Path folder) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(folder);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return new OpenFolder(secure);
        }
        stream.close();
        throw new IOException(
                folder + " is in a file system without the system call openat, which is needed to delete files safely");
    }

    /** Deletes a folder of this user with its content, if it exists; see {@link #deleteTree}. */
    static void deleteOwn(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (OpenFolder content = of(folder)) {
            if (!content.isOwn()) {
                return;
            }
            content.deleteContent();
        } catch (NoSuchFileException e) {
            return; // another process has deleted it
        }
        Files.deleteIfExists(folder);
    }

    /** Returns the names of the files in the folder. Call it once. */
    List<Path> names() throws IOException {
        List<Path> names = new ArrayList<>();
        try {
            stream.forEach(file -> names.add(file.getFileName()));
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    /** Returns the attributes of a file, or of a link itself; empty if there is none. */
    Optional<PosixFileAttributes> attributes(Path name) throws IOException {
        try {
            return Optional.of(
                    stream.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .readAttributes());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Opens a file for writing. The caller closes it. */
    FileChannel openFile(Path name) throws IOException {
        SeekableByteChannel channel =
                stream.newByteChannel(name, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        if (channel instanceof FileChannel file) {
            return file;
        }
        channel.close();
        throw new IOException(name + " cannot be locked: the system opens it as " + channel.getClass());
    }

    void deleteFile(Path name) throws IOException {
        try {
            stream.deleteFile(name);
        } catch (NoSuchFileException e) {
            return; // another process has deleted it
        }
    }

    /**
     * Deletes a folder of this user with its content. Links are deleted, and not what they lead to.
     *
     * @return whether the folder existed and belonged to this user
     */
    boolean deleteTree(Path name) throws IOException {
        try (OpenFolder content = new OpenFolder(stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS))) {
            if (!content.isOwn()) {
                return false;
            }
            content.deleteContent();
        } catch (NoSuchFileException e) {
            return false; // another process has deleted it
        }
        try {
            stream.deleteDirectory(name);
        } catch (NoSuchFileException e) {
            return false; // another process has deleted it
        }
        return true;
    }

    private boolean isOwn() throws IOException {
        return OwnUser.owns(
                stream.getFileAttributeView(PosixFileAttributeView.class).readAttributes());
    }

    private void deleteContent() throws IOException {
        for (Path name : names()) {
            Optional<PosixFileAttributes> found = attributes(name);
            if (found.isPresent() && found.get().isDirectory()) {
                deleteTree(name);
            } else {
                deleteFile(name);
            }
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
