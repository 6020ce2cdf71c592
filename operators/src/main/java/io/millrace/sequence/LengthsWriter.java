package io.millrace.sequence;

import io.millrace.file.WholeFiles;
import io.millrace.lifecycle.Handles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a {@link LengthsFile}. Lengths are written in any order to a hidden file beside it, which is moved into place when all
 * are known. A count that was interrupted continues where it was: the hidden file stays, and the next writer with the same key and
 * number of documents keeps its lengths. One writer at a time has a file, in all processes, or several writers share it.
 *
 * <p>Several threads may write if each document is written by one of them. An interrupt of one of them closes the file for all. The
 * writer takes constant memory.
 *
 * <p>Tested by {@code LengthsFileTest}.
 */
public final class LengthsWriter implements Closeable {
    /** The longest time for another writer to begin a file. */
    private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The shortest times between two looks at the file of another writer: at its count, and at its beginning, which takes milliseconds. */
    private static final long LOOK_MILLIS = 100;

    private static final long BEGIN_LOOK_MILLIS = 10;

    /** The rest after a look, as a multiple of the time of the look. */
    private static final long REST = 20;

    private final Path file;
    private final String key;
    private final long documents;
    private final @Nullable FileChannel lock;
    private final FileChannel channel;

    /** Whether another writer has finished the file, so that there is nothing to write. */
    private final boolean finished;

    private final AtomicLong counted = new AtomicLong();

    private LengthsWriter(
            Path file, String key, long documents, @Nullable FileChannel lock, FileChannel channel, boolean finished) {
        this.file = file;
        this.key = key;
        this.documents = documents;
        this.lock = lock;
        this.channel = channel;
        this.finished = finished;
    }

    /**
     * Opens a writer, after waiting as long as another writer of {@link #open} has the file. If that one has finished the file, all lengths
     * are counted. The caller closes the writer.
     *
     * @param file the file to make, in a folder that exists
     * @param key what the lengths depend on: the dataset, the tokenizer and the options that decide the ids
     * @param documents the number of documents, 0 or more
     * @param others gets the number of documents that the other writer has counted, from time to time
     * @throws UnusableCountsException when there is a finished file that is damaged or about other data
     * @throws IOException when the file cannot be written
     */
    public static LengthsWriter open(Path file, byte[] key, long documents, LongConsumer others) throws IOException {
        while (true) {
            FileChannel lock = lockFile(file);
            try {
                if (isFree(lock) && !Files.exists(file)) {
                    return begun(file, key, documents, lock);
                }
                lock.close();
            } catch (IOException | RuntimeException e) {
                Handles.closeAfter(e, lock);
                throw e;
            }
            long began = System.nanoTime();
            LengthsWriter other = join(file, key, documents);
            long looked = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            if (other != null) {
                if (other.finished) {
                    return other;
                }
                try (other) {
                    others.accept(other.counted());
                }
            }
            sleep(Math.max(LOOK_MILLIS, REST * looked), file); // a look reads the whole file
        }
    }

    /**
     * Opens a writer of some lengths of a file, beside others in this process and elsewhere. The caller closes it.
     *
     * @param file as for {@link #open}
     * @throws UnusableCountsException when there is a finished file that is damaged or about other data
     * @throws IOException when the file cannot be written; the message is a sentence
     */
    public static LengthsWriter share(Path file, byte[] key, long documents) throws IOException {
        long began = System.nanoTime();
        while (true) {
            LengthsWriter joined = join(file, key, documents);
            if (joined != null) {
                return joined;
            }
            if (!hasBegun(file, key, documents)) {
                if (System.nanoTime() - began > BEGIN_NANOS) {
                    throw new IOException(
                            file + " is being made by another program, for other documents or another tokenizer");
                }
                sleep(BEGIN_LOOK_MILLIS, file);
            }
        }
    }

    private static void sleep(long millis, Path file) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("interrupted while another program makes " + file).initCause(e);
        }
    }

    /** Opens a file that a writer has begun or finished; null if there is none of this count. */
    private static @Nullable LengthsWriter join(Path file, byte[] key, long documents) throws IOException {
        boolean finished = Files.exists(file);
        Path path = finished ? file : WholeFiles.partial(file);
        try {
            FileChannel channel = finished
                    ? FileChannel.open(path, StandardOpenOption.READ)
                    : FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            LengthsWriter writer = new LengthsWriter(file, IntsHead.key(key), documents, null, channel, finished);
            try {
                if (finished) {
                    LengthsFile.requireWhole(channel, file, key, documents);
                    writer.counted.set(documents);
                    return writer;
                }
                if (writer.hasLengths(path, key)) {
                    return writer;
                }
                channel.close();
                return null;
            } catch (IOException | RuntimeException e) {
                Handles.closeAfter(e, channel);
                throw e;
            }
        } catch (NoSuchFileException e) { // moved into place in between, or not begun
            return null;
        }
    }

    /** Begins a file that is neither begun nor finished; returns false when another writer has it. */
    private static boolean hasBegun(Path file, byte[] key, long documents) throws IOException {
        try (FileChannel lock = lockFile(file)) {
            if (!isFree(lock)) {
                return false;
            }
            if (!Files.exists(file)) {
                begun(file, key, documents, lock).close();
            }
            return true;
        }
    }

    private static LengthsWriter begun(Path file, byte[] key, long documents, FileChannel lock) throws IOException {
        Path partial = WholeFiles.partial(file);
        FileChannel channel =
                FileChannel.open(partial, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        LengthsWriter writer = new LengthsWriter(file, IntsHead.key(key), documents, lock, channel, false);
        try {
            if (!writer.hasLengths(partial, key)) {
                writer.begin();
            }
            return writer;
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, channel);
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

    private void begin() throws IOException {
        channel.truncate(0);
        long size = IntsHead.BYTES + documents * Integer.BYTES;
        IntsHead.writeFully(channel, ByteBuffer.allocate(1), size - 1); // all other bytes are 0, and take no space yet
        new IntsHead(IntsHead.Kind.PARTIAL_LENGTHS, key, documents, 0).write(channel);
    }

    /** Counts the lengths of the hidden file; returns false if it is of no use to this count. */
    private boolean hasLengths(Path partial, byte[] key) throws IOException {
        try {
            LengthsFile.requireGrowing(channel, partial, key, documents);
        } catch (UnusableCountsException e) {
            return false; // a new file, or one of another count
        }
        IntsHead.scan(channel, documents, (first, numbers) -> {
            while (numbers.hasRemaining()) {
                counted.addAndGet(numbers.getInt() == LengthsFile.UNKNOWN ? 0 : 1);
            }
        });
        return true;
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
     * Moves the file into place, with all bytes on the disk, unless another writer has done so. The writer can only be closed afterwards.
     * No thread may write at the same time.
     *
     * @throws IllegalStateException when a document has not been counted
     */
    public void publish() throws IOException {
        if (finished) {
            return;
        }
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
            if (finished || !isFree(own)) {
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
