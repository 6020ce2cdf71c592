package io.millrace.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A folder for temporary files of this process, which only this user can enter. It is deleted when it is closed, and at the latest
 * when the process ends. A process that is killed leaves its folder, and another process deletes it with {@link #sweep}. A lock on
 * a file beside the folder shows that the process lives, also to processes of other containers.
 *
 * <p>Any thread may call the methods.
 */
public final class OwnedFolder implements AutoCloseable {
    private static final String LOCK = ".lock";

    /** The names of all folders: a word, perhaps the number of a process, and a random number. */
    private static final Pattern NAME = Pattern.compile("millrace-[a-z]+-(\\d+-)?\\d+");

    /** The lock files of this process. They must not be opened again: closing them would release the lock. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    /** The folders of this process, which are deleted when it ends. */
    private static final Set<OwnedFolder> OPEN = ConcurrentHashMap.newKeySet();

    /** The attempts to delete a folder at the end of the process, in which other threads may still create files. */
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

    /** Creates a folder whose name begins with the prefix. The caller closes it. */
    public static OwnedFolder create(Path parent, String prefix) throws IOException {
        while (true) {
            Path lock = Files.createTempFile(parent.toAbsolutePath(), prefix, LOCK);
            OWN.add(lock);
            Optional<FileChannel> held = held(lock);
            if (held.isPresent()) {
                OwnedFolder made = new OwnedFolder(folderOf(lock), lock, held.get());
                OPEN.add(made);
                Files.createDirectory(
                        made.folder,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                return made;
            }
            OWN.remove(lock);
        }
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

    private static Path folderOf(Path lock) {
        String name = lock.getFileName().toString();
        return lock.resolveSibling(name.substring(0, name.length() - LOCK.length()));
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
     * Deletes the folders of processes that were killed.
     *
     * @param parent the folder that {@link #create} received
     * @param prefix the beginning of the folders' names
     * @return the deleted folders
     */
    public static List<Path> sweep(Path parent, String prefix) throws IOException {
        List<Path> deleted = new ArrayList<>();
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(parent.toAbsolutePath(), prefix + "*" + LOCK)) {
            for (Path lock : locks) {
                if (!OWN.contains(lock) && Files.isWritable(lock) && deleteIfLeft(lock)) {
                    deleted.add(folderOf(lock));
                }
            }
        }
        deleted.addAll(sweepUnlocked(parent, prefix));
        return deleted;
    }

    /**
     * Deletes folders without a lock. At the end of a process, threads may create a folder again that was just deleted with its
     * lock.
     */
    private static List<Path> sweepUnlocked(Path parent, String prefix) throws IOException {
        List<Path> deleted = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(
                parent.toAbsolutePath(),
                folder -> folder.getFileName().toString().startsWith(prefix)
                        && NAME.matcher(folder.getFileName().toString()).matches()
                        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))) {
            for (Path folder : folders) {
                // A lock exists from before its folder until after it.
                if (Files.isWritable(folder)
                        && !Files.exists(
                                folder.resolveSibling(folder.getFileName() + LOCK), LinkOption.NOFOLLOW_LINKS)) {
                    deleteTree(folder);
                    deleted.add(folder);
                }
            }
        }
        return deleted;
    }

    private static boolean deleteIfLeft(Path lock) throws IOException {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            FileLock held = channel.tryLock();
            if (held == null) {
                return false;
            }
            deleteTree(folderOf(lock));
            Files.deleteIfExists(lock);
            return true;
        } catch (NoSuchFileException e) {
            return false; // another process has deleted it
        }
    }

    /** Deletes a folder with its content. Links are deleted, and not what they lead to. */
    private static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // somebody else has deleted it
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Deletes the folder with its content. Closing again does nothing. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            deleteTree(folder);
            Files.deleteIfExists(lock);
            channel.close();
            OWN.remove(lock);
            OPEN.remove(this);
        }
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
