package io.millrace.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The search for folders whose process was killed. Anybody can create files in a folder for temporary files, so that only locks and
 * folders of this user count. The locks of this process are left out: opening and closing them would release them.
 */
final class LeftFolders {
    /** The names of lock files: words, perhaps the number of a process, and a random number. */
    private static final Pattern LOCK = Pattern.compile("(?:[a-z]+-)+(?:\\d+-)?\\d+\\.lock");

    /** The names of folders that a lock belongs to, also where the lock is missing. */
    private static final Pattern FOLDER = Pattern.compile("millrace-[a-z]+-(?:\\d+-)?\\d+");

    private final Path parent;
    private final String prefix;
    private final Set<Path> own;
    private final List<Path> deleted = new ArrayList<>();
    private final List<String> kept = new ArrayList<>();

    private LeftFolders(Path parent, String prefix, Set<Path> own) {
        this.parent = parent;
        this.prefix = prefix;
        this.own = own;
    }

    /**
     * Deletes the folders in {@code parent} whose names begin with the prefix, except those whose locks have the names
     * {@code own}.
     */
    static Swept sweep(Path parent, String prefix, Set<Path> own) {
        LeftFolders left = new LeftFolders(parent, prefix, own);
        try (OpenFolder open = OpenFolder.of(parent)) {
            left.sweep(open);
        } catch (IOException e) {
            left.kept.add("the folder " + parent + " cannot be searched: " + e);
        }
        return new Swept(left.deleted, left.kept);
    }

    private void sweep(OpenFolder open) throws IOException {
        List<Path> folders = new ArrayList<>();
        for (Path name : open.names()) {
            String text = name.toString();
            if (!text.startsWith(prefix)) {
                continue;
            }
            if (LOCK.matcher(text).matches() && !own.contains(name)) {
                attempt(name, () -> deleteIfLeft(open, name));
            } else if (FOLDER.matcher(text).matches()) {
                folders.add(name);
            }
        }
        for (Path name : folders) {
            attempt(name, () -> deleteIfUnlocked(open, name));
        }
    }

    /** An attempt to delete a folder. */
    private interface Attempt {
        void run() throws IOException;
    }

    private void attempt(Path name, Attempt attempt) {
        try {
            attempt.run();
        } catch (NoSuchFileException e) {
            return; // another process has deleted it
        } catch (IOException e) {
            kept.add(parent.resolve(name) + " of a process that has ended cannot be deleted: " + e);
        }
    }

    private void deleteIfLeft(OpenFolder open, Path lock) throws IOException {
        if (!isOwn(open, lock, PosixFileAttributes::isRegularFile)) {
            return;
        }
        try (FileChannel channel = open.openFile(lock)) {
            FileLock held = channel.tryLock();
            if (held != null) {
                Path folder = OwnedFolder.folderOf(lock);
                if (isOwn(open, folder, PosixFileAttributes::isDirectory) && open.deleteTree(folder)) {
                    deleted.add(parent.resolve(folder));
                }
                open.deleteFile(lock);
            }
        }
    }

    /**
     * Deletes a folder without a lock. At the end of a process, threads may create a folder again that was just deleted with its
     * lock.
     */
    private void deleteIfUnlocked(OpenFolder open, Path folder) throws IOException {
        Path lock = OwnedFolder.lockOf(folder);
        // A lock exists from before its folder until after it.
        if (isOwn(open, folder, PosixFileAttributes::isDirectory)
                && !isOwn(open, lock, PosixFileAttributes::isRegularFile)
                && open.deleteTree(folder)) {
            deleted.add(parent.resolve(folder));
        }
    }

    /** The kind of file that is looked for. */
    private interface Kind {
        boolean matches(PosixFileAttributes file);
    }

    private static boolean isOwn(OpenFolder open, Path name, Kind kind) throws IOException {
        Optional<PosixFileAttributes> found = open.attributes(name);
        return found.isPresent() && kind.matches(found.get()) && OwnUser.owns(found.get());
    }
}
