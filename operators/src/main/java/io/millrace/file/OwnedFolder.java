package io.millrace.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A folder for temporary files of this process, which only this user can enter. It is deleted when it is closed, and at the latest
 * when the process ends. A process that is killed leaves its folder, and another process deletes it with {@link #sweep}. A lock on
 * a file beside the folder shows that the process lives, also to processes of other containers.
 *
 * <p>Any thread may call the methods.
 */
public final class OwnedFolder implements AutoCloseable {
    private static final String LOCK = ".lock";

    /** The names of the lock files of this process. They must not be opened again: closing them would release the lock. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    /** The folders of this process, which are deleted when it ends. */
    private static final Set<OwnedFolder> OPEN = ConcurrentHashMap.newKeySet();

    /** The attempts to create a folder, and to delete one at the end of the process, when other threads may still create files. */
    private static final int ATTEMPTS = 20;

    static {
        // An interrupt ends the process without an end of the threads that would close the folders.
        Runtime.getRuntime().addShutdownHook(new Thread(OwnedFolder::closeAll, "temporary-folders"));
    }

    private final Path folder;
    private final Path lock;
    private final FileChannel channel;

    private OwnedFolder(Path folder, Path lock, FileChannel channel) {
        this.folder = folder;
        this.lock = lock;
        this.channel = channel;
    }

    /**
     * Creates a folder whose name begins with the prefix and ends with a random number. The caller closes it.
     *
     * @throws IOException when that is not possible, also when somebody else keeps creating files of the same names
     */
    public static OwnedFolder create(Path parent, String prefix) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Path lock = Files.createTempFile(parent.toAbsolutePath(), prefix, LOCK);
            OWN.add(lock.getFileName());
            Optional<FileChannel> held = held(lock);
            if (held.isPresent()) {
                OwnedFolder made = new OwnedFolder(folderOf(lock), lock, held.get());
                OPEN.add(made);
                try {
                    Files.createDirectory(
                            made.folder,
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                    return made;
                } catch (FileAlreadyExistsException e) {
                    made.releaseLock(); // another user has seen the name of the lock and was faster
                }
            } else {
                OWN.remove(lock.getFileName());
            }
        }
        throw new IOException("cannot create a folder " + prefix + "... in " + parent + ": " + ATTEMPTS
                + " times another program created or deleted a file of the same name at once");
    }

    /** Locks a new file; empty when another process took it for one that was left, at any time before it was locked. */
    private static Optional<FileChannel> held(Path lock) throws IOException {
        try {
            FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
            if (channel.tryLock() != null && Files.exists(lock)) {
                return Optional.of(channel);
            }
            channel.close();
        } catch (NoSuchFileException e) {
            // It was deleted before it was opened.
        }
        return Optional.empty();
    }

    /** Returns the folder that belongs to a lock. */
    static Path folderOf(Path lock) {
        String name = lock.getFileName().toString();
        return lock.resolveSibling(name.substring(0, name.length() - LOCK.length()));
    }

    /** Returns the lock that belongs to a folder. */
    static Path lockOf(Path folder) {
        return folder.resolveSibling(folder.getFileName() + LOCK);
    }

    /** Returns the folder. */
    public Path path() {
        return folder;
    }

    /** Returns the file beside the folder that shows that its process lives. */
    public Path lock() {
        return lock;
    }

    /**
     * Deletes the folders of this user's processes that were killed. What cannot be deleted is no failure. Locks, folders and links
     * of other users stay.
     *
     * @param parent the folder that {@link #create} received
     * @param prefix the beginning of the folders' names
     */
    public static Swept sweep(Path parent, String prefix) {
        return LeftFolders.sweep(parent.toAbsolutePath(), prefix, OWN);
    }

    /** Deletes the folder with its content. Closing again does nothing. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            OpenFolder.deleteOwn(folder);
            releaseLock();
        }
    }

    private void releaseLock() throws IOException {
        Files.deleteIfExists(lock);
        channel.close();
        OWN.remove(lock.getFileName());
        OPEN.remove(this);
    }

    /** Deletes all folders of this process. What cannot be deleted is left to {@link #sweep}. */
    private static void closeAll() {
        for (int attempt = 0; attempt < ATTEMPTS && !OPEN.isEmpty(); attempt++) {
            for (OwnedFolder folder : OPEN) {
                try {
                    folder.close();
                } catch (IOException e) {
                    Thread.onSpinWait(); // somebody has created a file meanwhile
                }
            }
        }
    }
}
