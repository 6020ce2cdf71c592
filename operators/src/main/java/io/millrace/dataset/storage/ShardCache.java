package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions.CacheOptions;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of remote data on the local disk, up to a number of bytes. The copy that was used least recently is removed
 * first, and copies in use stay. The cache outlives the process. When the disk is full, the cache keeps its copies,
 * adds no more copies, and logs one warning.
 *
 * <p>Safe for several threads. Each process has one cache for each folder.
 */
final class ShardCache {
    private static final Logger LOG = LoggerFactory.getLogger(ShardCache.class);
    private static final int NAME_BYTES = 16;

    private static final Map<Path, ShardCache> OPEN = new ConcurrentHashMap<>();

    private final CacheFolder folder;

    /** The copies in order of use, the latest last. This field and all fields below are guarded by {@code this}. */
    private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long limit;
    private long used;

    /**
     * Whether a write to the disk has failed. After that, existing copies are still used, but no copy is added or
     * removed.
     */
    private boolean frozen;

    private ShardCache(CacheFolder folder, long limit) throws IOException {
        this.folder = folder;
        this.limit = limit;
        for (CacheFolder.Found found : folder.scan()) {
            entries.put(found.name(), new Entry(found.bytes(), CompletableFuture.completedFuture(true)));
            used += found.bytes();
        }
        makeRoom(0);
    }

    /**
     * Returns the cache of this process in the given folder.
     *
     * @throws DatasetException when the folder cannot be used; the message is a sentence for the user
     */
    static ShardCache of(CacheOptions options) throws DatasetException {
        Path path = Path.of(options.folder()).toAbsolutePath().normalize();
        synchronized (OPEN) {
            ShardCache cache = OPEN.get(path);
            if (cache == null) {
                cache = open(path, options.bytes());
                OPEN.put(path, cache);
            }
            cache.limit(options.bytes());
            return cache;
        }
    }

    /** Opens a separate cache, which behaves like the cache of another process. */
    static ShardCache open(Path path, long bytes) throws DatasetException {
        try {
            return new ShardCache(CacheFolder.lockFirstFree(path), bytes);
        } catch (IOException e) {
            throw new DatasetException("the cache's folder " + path + " cannot be used: " + e, e);
        }
    }

    private synchronized void limit(long bytes) {
        limit = bytes;
        makeRoom(0);
    }

    /**
     * A piece of a file: the {@code length} bytes that begin at {@code from}, in a given state of the file.
     *
     * @param file the file's whole address
     */
    record Piece(String file, Storage.FileState state, long from, long length) {
        private String name() {
            try {
                String text = file + '\n' + state.size() + '\n' + state.modifiedMillis() + '\n' + from;
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest, 0, NAME_BYTES) + "-" + length;
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }
    }

    /** A receiver of the parts of a piece, in any order. */
    interface Target {
        void write(long position, byte[] bytes) throws IOException;
    }

    /** A function that fetches a piece. */
    @FunctionalInterface
    interface Loader {
        void load(Target target) throws IOException;
    }

    /** A piece on the local disk, which stays there until this object is closed. */
    final class Pin implements Closeable {
        private final Path path;
        private final Entry entry;
        private boolean closed;

        private Pin(Path path, Entry entry) {
            this.path = path;
            this.entry = entry;
        }

        Path path() {
            return path;
        }

        @Override
        public void close() {
            synchronized (ShardCache.this) {
                if (!closed) {
                    closed = true;
                    entry.pins--;
                }
            }
        }
    }

    private static final class Entry {
        private final long bytes;

        /** The result of writing the piece: false when it could not be written. */
        private final CompletableFuture<Boolean> written;

        private int pins;

        Entry(long bytes, CompletableFuture<Boolean> written) {
            this.bytes = bytes;
            this.written = written;
        }
    }

    /**
     * Returns the copy of a piece. When there is no copy, {@code loader} creates it, and other threads that request the
     * same piece wait. The result is empty when all other copies are in use and leave no room, or when the disk is
     * full. The caller then reads the piece from its source.
     *
     * @throws IOException when the loader fails
     */
    Optional<Pin> pin(Piece piece, Loader loader) throws IOException {
        String name = piece.name();
        Entry entry;
        boolean mine = false;
        synchronized (this) {
            entry = entries.get(name);
            if (entry != null && entry.pins == 0 && !Files.exists(folder.file(name))) {
                forget(name, entry); // another program has removed the file
                entry = null;
            }
            if (entry == null) {
                if (frozen || !makeRoom(piece.length)) {
                    return Optional.empty();
                }
                entry = new Entry(piece.length, new CompletableFuture<>());
                entries.put(name, entry);
                used += piece.length;
                mine = true;
            }
            entry.pins++;
        }
        Pin pin = new Pin(folder.file(name), entry);
        boolean written = false;
        try {
            written = mine ? write(name, entry, loader) : await(entry);
        } finally {
            if (!written) {
                pin.close();
            }
        }
        return written ? Optional.of(pin) : Optional.empty();
    }

    /**
     * Removes copies that are not in use until there is room for {@code bytes} more bytes. Returns whether there is
     * room.
     */
    private synchronized boolean makeRoom(long bytes) {
        if (bytes > limit) {
            return false;
        }
        Iterator<Map.Entry<String, Entry>> oldest = entries.entrySet().iterator();
        while (used + bytes > limit && oldest.hasNext()) {
            Map.Entry<String, Entry> candidate = oldest.next();
            if (candidate.getValue().pins == 0) {
                oldest.remove();
                used -= candidate.getValue().bytes;
                try {
                    folder.delete(candidate.getKey());
                } catch (IOException e) {
                    LOG.warn("cannot remove {} from the cache: {}", folder.file(candidate.getKey()), e.toString());
                }
            }
        }
        return used + bytes <= limit;
    }

    private boolean write(String name, Entry entry, Loader loader) throws IOException {
        boolean written = false;
        try (FileChannel channel = folder.part(name)) {
            loader.load((position, bytes) -> onDisk(() -> writeAll(channel, position, bytes)));
            onDisk(() -> {
                channel.force(false);
                folder.complete(name);
            });
            written = true;
        } catch (DiskException | FileSystemException e) {
            freeze(e);
        } finally {
            if (!written) {
                forget(name, entry);
            }
            entry.written.complete(written);
        }
        return written;
    }

    @FunctionalInterface
    private interface DiskWork {
        void run() throws IOException;
    }

    private static void onDisk(DiskWork work) throws IOException {
        try {
            work.run();
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }

    private static void writeAll(FileChannel channel, long position, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer, position + buffer.position());
        }
    }

    private synchronized void forget(String name, Entry entry) {
        entries.remove(name);
        used -= entry.bytes;
        try {
            folder.abandon(name);
        } catch (IOException e) {
            LOG.warn("cannot remove the unfinished {} from the cache {}: {}", name, folder, e.toString());
        }
    }

    private synchronized void freeze(IOException failure) {
        if (!frozen) {
            LOG.warn(
                    "cannot write to the cache {}; the cache keeps its {} bytes, and other data is read from the source: {}",
                    folder,
                    used,
                    failure.toString());
        }
        frozen = true;
    }

    private static boolean await(Entry entry) throws IOException {
        try {
            return entry.written.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the cache");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the total size of all copies in bytes. */
    synchronized long usedBytes() {
        return used;
    }

    /** A failure of the local disk, as opposed to a failure of the data's source. */
    private static final class DiskException extends IOException {
        private static final long serialVersionUID = 1;

        DiskException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
