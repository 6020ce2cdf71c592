package io.millrace.dataset.storage;

import io.millrace.dataset.BadSampleException;
import io.millrace.file.HeapLimit;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One file that any number of threads may read at any position at once. Closing the file makes the reads that are in
 * progress fail.
 */
public interface RangedFile extends Closeable {
    /** Returns the file's name for people. */
    String name();

    /** Returns the size in bytes at the time when the file was opened. */
    long size();

    /**
     * Reads the {@code count} bytes of the file that begin at {@code position}, and writes them to {@code target} at
     * index {@code from}.
     *
     * @throws EOFException when the file ends before the last requested byte; the message contains the offset
     */
    void read(long position, byte[] target, int from, int count) throws IOException;

    /**
     * Reads {@code count} bytes into an array that the caller owns.
     *
     * @throws BadSampleException when the heap is too small for them
     */
    default byte[] read(long position, int count) throws IOException {
        if (position < 0 || count < 0 || position > size() - count) {
            throw pastEnd(position, count);
        }
        String refusal = HeapLimit.refusal("a value", count); // a file with holes has any size at no cost
        if (!refusal.isEmpty()) {
            throw new BadSampleException(name(), position, refusal);
        }
        byte[] bytes = new byte[count];
        read(position, bytes, 0, count);
        return bytes;
    }

    /**
     * Maps the whole file into memory. The mapping outlives this object, until no buffer of it is in use.
     *
     * @return null when the file is not on this machine
     */
    default @Nullable Segments map() throws IOException {
        return null;
    }

    /** Returns the exception for a read beyond the end. */
    default EOFException pastEnd(long position, long count) {
        return new EOFException(name() + ": expected " + count + " bytes at offset " + position
                + ", found the end of the file at " + size());
    }
}
