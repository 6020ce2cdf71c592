package io.millrace.dataset.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One process's part of a cache's folder: a numbered subfolder that is locked while the process lives. Therefore
 * processes do not remove each other's files, and a later process finds the files that an earlier one left.
 *
 * <p>A file is written under a temporary name and gets its final name when it is complete. The final name contains the
 * length.
 *
 * <p>Tested by {@code ShardCacheTest}.
 */
final class CacheFolder {
    private static final String PART = ".part";
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}-([0-9]{1,18})");
    private static final int MOST_PROCESSES = 1000;

    /**
     * Channels on lock files that other class loaders of this JVM have locked. They stay open, because closing our
     * channel would release the other lock.
     */
    private static final Queue<FileChannel> KEPT_OPEN = new ConcurrentLinkedQueue<>();

    private final Path folder;

    /** The lock on the folder. It is held until the process ends, and the operating system then releases it. */
    private final FileLock lock;

    private CacheFolder(Path folder, FileLock lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** Locks the first numbered folder that no living process holds, and removes the unfinished files in it. */
    static CacheFolder lockFirstFree(Path parent) throws IOException {
        for (int number = 0; number < MOST_PROCESSES; number++) {
            Path folder = Files.createDirectories(parent.resolve(String.valueOf(number)));
            FileLock lock = tryLock(folder.resolve("lock"));
            if (lock != null) {
                CacheFolder locked = new CacheFolder(folder, lock);
                locked.removeParts();
                return locked;
            }
        }
        throw new IOException("more than " + MOST_PROCESSES + " processes use the folder");
    }

    private static @Nullable FileLock tryLock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                channel.close();
            }
            return lock;
        } catch (OverlappingFileLockException e) {
            KEPT_OPEN.add(channel);
            return null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    Path path() {
        return folder;
    }

    /** A complete file in the folder. */
    record Found(String name, long bytes) {}

    /**
     * Returns the complete files, ordered by their time of modification, the oldest first. Removes files whose length
     * differs from the length in their name.
     */
    List<Found> scan() throws IOException {
        record Aged(Found found, long modifiedMillis) {}
        List<Aged> aged = new ArrayList<>();
        for (Path file : files()) {
            Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
            if (name.matches()) {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                long bytes = Long.parseLong(name.group(1));
                if (attributes.size() == bytes) {
                    aged.add(new Aged(
                            new Found(name.group(), bytes),
                            attributes.lastModifiedTime().toMillis()));
                } else {
                    Files.delete(file);
                }
            }
        }
        return aged.stream()
                .sorted(Comparator.comparingLong(Aged::modifiedMillis))
                .map(Aged::found)
                .toList();
    }

    private void removeParts() throws IOException {
        for (Path file : files()) {
            if (file.toString().endsWith(PART)) {
                Files.delete(file);
            }
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(folder, 2)) {
            return tree.filter(Files::isRegularFile).toList();
        }
    }

    /** Returns the path of the file with this name, whether or not it exists. */
    Path file(String name) {
        return folder.resolve(name.substring(0, 2)).resolve(name);
    }

    /** Opens a new unfinished file for the content of {@code name}. The caller closes it. */
    FileChannel part(String name) throws IOException {
        Path part = partPath(name);
        Files.createDirectories(folder.resolve(name.substring(0, 2)));
        return FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    }

    /** Renames an unfinished file to its final name. */
    void complete(String name) throws IOException {
        Files.move(partPath(name), file(name));
    }

    /** Removes an unfinished file. */
    void abandon(String name) throws IOException {
        Files.deleteIfExists(partPath(name));
    }

    void delete(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    private Path partPath(String name) {
        return file(name + PART);
    }

    /** Releases the folder for the next process, as the end of this process would. */
    void release() throws IOException {
        lock.acquiredBy().close();
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
