package io.millrace.dataset.packed;

import io.millrace.order.EpochOrder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The windows of documents that processes are counting, so that no two of them count the same one: each has a lock on the byte of its window
 * in a file beside the lengths. A lock ends with its process. Where a file system has no locks, processes may count a window twice, which
 * costs time and changes nothing. Any thread may use the object.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 */
final class WindowClaims implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(WindowClaims.class);

    private final FileChannel file;

    /** The byte of window 0. Other orders and divisions have other windows, and most of them another one. */
    private final long first;

    private volatile boolean without;

    private WindowClaims(FileChannel file, long first) {
        this.file = file;
        this.first = first;
    }

    /**
     * Opens the claims.
     *
     * @param lengths the file of the lengths
     * @param windows the {@link #number} of the windows
     */
    static WindowClaims open(Path lengths, int windows) throws IOException {
        return new WindowClaims(
                FileChannel.open(
                        lengths.resolveSibling("." + lengths.getFileName() + ".windows"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE),
                (long) (windows & Integer.MAX_VALUE) << Integer.SIZE);
    }

    /** Returns a hash of an order and its division into windows. All processes compute the same one, unlike hashes of enums. */
    static int number(EpochOrder order, int window) {
        return (order + "\n" + window).hashCode();
    }

    /** A claim on a window, which ends when it is closed. */
    record Claim(int window, @Nullable FileLock lock) implements Closeable {
        @Override
        public void close() throws IOException {
            if (lock != null && lock.isValid()) {
                lock.release();
            }
        }
    }

    /** Claims a window; null when another process, or another run in this one, has it. */
    @Nullable
    Claim claim(int window) {
        if (without) {
            return new Claim(window, null);
        }
        try {
            FileLock lock = file.tryLock(first + window, 1, false);
            return lock == null ? null : new Claim(window, lock);
        } catch (OverlappingFileLockException e) {
            return null;
        } catch (IOException e) {
            LOG.info("the file system has no locks, so that several processes may count the same documents", e);
            without = true;
            return new Claim(window, null);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
