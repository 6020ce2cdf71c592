package io.millrace.train.state;

import io.millrace.device.AlignedMemory;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a {@link ModelState}: bytes of one of its sections, in native memory. Immutable. Several threads may write
 * out the same chunk at the same time, and any number of times.
 *
 * <p><b>Memory.</b> {@link #close} frees the memory at once, even while another thread is writing the chunk out. That
 * write then fails with an {@link IllegalStateException} and does not read freed memory. The garbage collector frees a
 * chunk that is not closed. The memory is not counted by {@code -XX:MaxDirectMemorySize}.
 */
public final class StateChunk implements AutoCloseable {
    /** The largest number of bytes of one chunk. */
    public static final int MOST_BYTES = 16 << 20;

    /** The version of the format that {@link #write} writes. */
    static final int VERSION = 1;

    private static final int COPY_BYTES = 1 << 16;

    private final String section;
    private final long offset;
    private final long sectionBytes;
    private final int bytes;
    private final ChunkMemory memory;

    /** Takes ownership of filled memory. */
    StateChunk(String section, long offset, long sectionBytes, int bytes, ChunkMemory memory) {
        this.section = section;
        this.offset = offset;
        this.sectionBytes = sectionBytes;
        this.bytes = bytes;
        this.memory = memory;
    }

    /**
     * Returns a chunk with a copy of the buffer's remaining bytes. The caller closes the chunk.
     *
     * @param offset the offset of the chunk in its section, in bytes
     * @param sectionBytes the length of the whole section
     * @throws IllegalArgumentException when the chunk is too long or ends after its section
     */
    public static StateChunk of(String section, long offset, long sectionBytes, ByteBuffer content) {
        String problem = problem(offset, sectionBytes, content.remaining());
        if (problem != null) {
            throw new IllegalArgumentException("section '" + section + "': " + problem);
        }
        int length = content.remaining();
        ChunkMemory memory = allocate(length);
        memory.fill().put(content.duplicate());
        return new StateChunk(section, offset, sectionBytes, length, memory);
    }

    private static @Nullable String problem(long offset, long sectionBytes, int length) {
        if (length < 1 || length > MOST_BYTES) {
            return "expected a chunk of 1 to " + MOST_BYTES + " bytes, found " + length;
        }
        if (offset < 0 || offset > sectionBytes - length) {
            return "expected a chunk within its " + sectionBytes + " bytes, found " + length + " bytes at " + offset;
        }
        return null;
    }

    private static ChunkMemory allocate(int bytes) {
        return new ChunkMemory(AlignedMemory.allocate(bytes, "a piece of the model's state"), AlignedMemory::close);
    }

    /** Returns the name of the section. */
    public String section() {
        return section;
    }

    /** Returns the offset of the chunk in its section, in bytes. */
    public long offset() {
        return offset;
    }

    /** Returns the number of bytes of the whole section. */
    public long sectionBytes() {
        return sectionBytes;
    }

    /** Returns the number of bytes of this chunk. */
    public int bytes() {
        return bytes;
    }

    /**
     * Fills the rest of the buffer with the bytes from an offset of this chunk.
     *
     * @throws IndexOutOfBoundsException when the chunk has fewer bytes
     * @throws IllegalStateException when the chunk is closed
     */
    public void copy(int from, ByteBuffer into) {
        Objects.checkFromIndexSize(from, into.remaining(), bytes);
        memory.read(from, into);
    }

    /**
     * Writes the chunk with its place, its version and a checksum.
     *
     * @throws IllegalStateException when the chunk is closed, or another thread closes it during the call
     */
    public void write(DataOutput out) throws IOException {
        out.writeByte(VERSION);
        out.writeUTF(section);
        out.writeLong(offset);
        out.writeLong(sectionBytes);
        out.writeInt(bytes);
        CRC32C checksum = new CRC32C();
        byte[] copy = new byte[Math.min(bytes, COPY_BYTES)];
        for (int from = 0; from < bytes; from += copy.length) {
            int length = Math.min(copy.length, bytes - from);
            memory.read(from, ByteBuffer.wrap(copy, 0, length));
            checksum.update(copy, 0, length);
            out.write(copy, 0, length);
        }
        out.writeInt((int) checksum.getValue());
    }

    /**
     * Reads the format of {@link #write}. The caller closes the chunk.
     *
     * @throws IOException when the data have an unknown version, or are damaged or too short
     */
    public static StateChunk read(DataInput in) throws IOException {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IOException("a piece of a model's state has version " + version + ", this Millrace reads version "
                    + VERSION + ": read it with the Millrace that wrote it, or start a new run");
        }
        String section = in.readUTF();
        long offset = in.readLong();
        long sectionBytes = in.readLong();
        int bytes = in.readInt();
        String problem = problem(offset, sectionBytes, bytes);
        if (problem != null) {
            throw new IOException("the model's state is damaged: section '" + section + "': " + problem);
        }
        ChunkMemory memory = allocate(bytes);
        try {
            fill(memory, bytes, in, "section '" + section + "' at " + offset);
        } catch (IOException | RuntimeException e) {
            memory.close();
            throw e;
        }
        return new StateChunk(section, offset, sectionBytes, bytes, memory);
    }

    private static void fill(ChunkMemory memory, int bytes, DataInput in, String place) throws IOException {
        CRC32C checksum = new CRC32C();
        ByteBuffer target = memory.fill();
        byte[] copy = new byte[Math.min(bytes, COPY_BYTES)];
        int expected;
        try {
            for (int from = 0; from < bytes; from += copy.length) {
                int length = Math.min(copy.length, bytes - from);
                in.readFully(copy, 0, length);
                checksum.update(copy, 0, length);
                target.put(from, copy, 0, length);
            }
            expected = in.readInt();
        } catch (EOFException e) {
            throw new IOException("the model's state is too short: expected " + bytes + " bytes of " + place, e);
        }
        if (expected != (int) checksum.getValue()) {
            throw new IOException("the model's state is damaged: " + place + " has the checksum "
                    + Long.toHexString(checksum.getValue()) + ", expected " + Integer.toHexString(expected));
        }
    }

    /** Frees the memory, even while other threads read. A second call does nothing. */
    @Override
    public void close() {
        memory.close();
    }
}
