package io.millrace.sequence;

import io.millrace.file.WholeFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a {@link LengthsFile}. Lengths are written in any order to a hidden file beside it, which is moved into place when all
 * are known. A count that was interrupted continues where it was: the hidden file stays, and the next writer with the same key and
 * number of documents keeps its lengths. Only one writer at a time has a file, in all processes.
 *
 * <p>Several threads may write if each document is written by one of them. An interrupt of one of them closes the file for all. The
 * writer takes constant memory.
 *
 * <p>Tested by {@code LengthsFileTest}.
 */
public final class LengthsWriter implements Closeable {
    /** The longest time for another writer to begin a file. */
    private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Path file;
    private final String key;
    private final long documents;
    private final @Nullable FileChannel lock;
    private final FileChannel channel;
    private final AtomicLong counted = new AtomicLong();

    private LengthsWriter(Path file, String key, long documents, @Nullable FileChannel lock, FileChannel channel) {
        this.file = file;
        this.key = key;
        this.documents = documents;
        this.lock = lock;
        this.channel = channel;
    }

    /**
     * Opens a writer. The caller closes it.
     *
     * @param file the file to make, in a folder that exists
     * @param key what the lengths depend on: the dataset, the tokenizer and the options that decide the ids
     * @param documents the number of documents, 0 or more
     * @throws IOException when another writer has the file, or it cannot be written; the message is a sentence
     */
    public static LengthsWriter open(Path file, byte[] key, long documents) throws IOException {
        FileChannel lock = lockFile(file);
        try {
            if (!isFree(lock)) {
                throw new IOException(file + " is being made by another program, or by another part of this one");
            }
            return begun(file, key, documents, lock);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /**
     * Opens a writer of some lengths of a file, beside others in this process and elsewhere. The caller closes it.
     *
     * @param file as for {@link #open}
     * @throws IOException when it cannot be written; the message is a sentence
     */
    public static LengthsWriter share(Path file, byte[] key, long documents) throws IOException {
        Path partial = WholeFiles.partial(file);
        long began = System.nanoTime();
        while (!Files.exists(partial) || !isOfCount(partial, IntsHead.key(key), documents)) {
            if (hasBegun(file, key, documents)) {
                break;
            }
            if (System.nanoTime() - began > BEGIN_NANOS) {
                throw new IOException(
                        file + " is being made by another program, for other documents or another tokenizer");
            }
            try {
                TimeUnit.MILLISECONDS.sleep(10); // another writer begins the file in milliseconds
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException)
                        new InterruptedIOException("interrupted while another program begins " + file).initCause(e);
            }
        }
        return begun(file, key, documents, null);
    }

    /** Begins a file; returns false when another writer has it. */
    private static boolean hasBegun(Path file, byte[] key, long documents) throws IOException {
        try (FileChannel lock = lockFile(file)) {
            if (!isFree(lock)) {
                return false;
            }
            begun(file, key, documents, lock).close();
            return true;
        }
    }

    private static LengthsWriter begun(Path file, byte[] key, long documents, @Nullable FileChannel lock)
            throws IOException {
        Path partial = WholeFiles.partial(file);
        FileChannel channel = FileChannel.open(
                partial,
                lock == null
                        ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
                        : Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
        LengthsWriter writer = new LengthsWriter(file, IntsHead.key(key), documents, lock, channel);
        try {
            writer.begin(partial);
            return writer;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel lockFile(Path file) throws IOException {
        return FileChannel.open(
                file.resolveSibling("." + file.getFileName() + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
    }

    /** Locks a file until it is closed; returns false when another writer has it. */
    private static boolean isFree(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private IntsHead partialHead() {
        return new IntsHead(IntsHead.Kind.PARTIAL_LENGTHS, key, documents, 0);
    }

    private void begin(Path partial) throws IOException {
        if (isOfCount(channel, partial, key, documents)) {
            IntsHead.scan(channel, documents, (first, numbers) -> {
                while (numbers.hasRemaining()) {
                    counted.addAndGet(numbers.getInt() == LengthsFile.UNKNOWN ? 0 : 1);
                }
            });
            return;
        }
        if (lock == null) {
            throw new IOException(partial + " is no file of lengths of this count, and nobody may begin one meanwhile");
        }
        channel.truncate(0);
        long size = IntsHead.BYTES + documents * Integer.BYTES;
        IntsHead.writeFully(channel, ByteBuffer.allocate(1), size - 1); // all other bytes are 0, and take no space yet
        partialHead().write(channel);
    }

    private static boolean isOfCount(Path partial, String key, long documents) throws IOException {
        try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.READ)) {
            return isOfCount(channel, partial, key, documents);
        }
    }

    /** Returns whether the hidden file has lengths of a count with the same key. Otherwise it is of no use to anyone. */
    private static boolean isOfCount(FileChannel channel, Path partial, String key, long documents) {
        try {
            return IntsHead.read(channel, partial, IntsHead.Kind.PARTIAL_LENGTHS, key)
                            .count()
                    == documents;
        } catch (IOException e) {
            return false; // a new file, or one of another count
        }
    }

    /** Returns how many documents have been counted, also by earlier writers. Any thread may call it. */
    public long counted() {
        return counted.get();
    }

    /**
     * Writes the lengths of consecutive documents, also of ones that have been counted before.
     *
     * @param first the first document
     * @param lengths the lengths, each 0 or more, or {@link DocumentLengths#BAD}
     * @param count how many of them there are; {@code lengths} may be longer
     */
    public void write(long first, int[] lengths, int count) throws IOException {
        Objects.checkFromIndexSize(first, count, documents);
        ByteBuffer numbers = ByteBuffer.allocate(count * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        IntsHead.readFully(channel, numbers, IntsHead.BYTES + first * Integer.BYTES);
        int known = 0;
        for (int i = 0; i < count; i++) {
            if (lengths[i] < DocumentLengths.BAD) {
                throw new IllegalArgumentException("document " + (first + i) + " has the length " + lengths[i]
                        + ": expected 0 or more, or " + DocumentLengths.BAD + " for a bad one");
            }
            known += numbers.getInt(i * Integer.BYTES) == LengthsFile.UNKNOWN ? 0 : 1;
            numbers.putInt(i * Integer.BYTES, lengths[i] + LengthsFile.SHIFT);
        }
        IntsHead.writeFully(channel, numbers.clear(), IntsHead.BYTES + first * Integer.BYTES);
        counted.addAndGet(count - known);
    }

    /**
     * Returns the first document from one on that has not been counted, or the number of documents if there is none.
     *
     * @param from 0 to the number of documents
     */
    public long nextUnknown(long from) throws IOException {
        ByteBuffer numbers = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        for (long at = from; at < documents; at += numbers.capacity() / Integer.BYTES) {
            numbers.clear().limit((int) Math.min(numbers.capacity(), (documents - at) * Integer.BYTES));
            IntsHead.readFully(channel, numbers, IntsHead.BYTES + at * Integer.BYTES);
            for (int i = 0; i < numbers.limit() / Integer.BYTES; i++) {
                if (numbers.getInt(i * Integer.BYTES) == LengthsFile.UNKNOWN) {
                    return at + i;
                }
            }
        }
        return documents;
    }

    /**
     * Moves the file into place, with all bytes on the disk. The writer can only be closed afterwards. No thread may write at the same
     * time.
     *
     * @throws IllegalStateException when a document has not been counted
     */
    public void publish() throws IOException {
        CRC32C crc = new CRC32C();
        IntsHead.scan(channel, documents, (first, numbers) -> {
            for (int i = 0; i < numbers.limit() / Integer.BYTES; i++) {
                if (numbers.getInt(i * Integer.BYTES) == LengthsFile.UNKNOWN) {
                    throw new IllegalStateException("the lengths of " + file + " are not complete: document "
                            + (first + i) + " of " + documents + " has not been counted");
                }
            }
            crc.update(numbers);
        });
        channel.force(true); // the numbers are on the disk before a head that calls them complete
        new IntsHead(IntsHead.Kind.LENGTHS, key, documents, (int) crc.getValue()).write(channel);
        channel.force(true);
        WholeFiles.publish(file);
    }

    /** Publishes the file of a shared writer, unless that has been done, or another writer has the file and will do it. */
    public void publishShared() throws IOException {
        try (FileChannel own = lockFile(file)) {
            if (!isFree(own)) {
                return;
            }
            if (Files.exists(file)) { // nobody needs a hidden file that was begun after it was published
                Files.deleteIfExists(WholeFiles.partial(file));
            } else {
                publish();
            }
        }
    }

    /** Closes the file. Lengths that are not published stay for the next writer. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }
}
