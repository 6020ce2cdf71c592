package io.millrace.train.state;

import io.millrace.train.engine.TensorValues;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;

/**
 * A reader of one section of a model's state from the section's chunks, which may be passed in any order. Belongs to
 * one thread.
 */
public final class SectionReader extends InputStream {
    private final String section;
    private final List<StateChunk> chunks;
    private int current;
    private int read;

    /**
     * Finds the section's chunks.
     *
     * @throws ModelStateException when chunks are missing or occur twice
     */
    public SectionReader(List<StateChunk> all, String section) {
        this.section = section;
        this.chunks = all.stream()
                .filter(chunk -> chunk.section().equals(section))
                .sorted(Comparator.comparingLong(StateChunk::offset))
                .toList();
        long next = 0;
        for (StateChunk chunk : chunks) {
            if (chunk.offset() != next || chunk.sectionBytes() != bytes()) {
                throw damaged(next, "a chunk at " + chunk.offset() + " of " + chunk.sectionBytes());
            }
            next += chunk.bytes();
        }
        if (next != bytes()) {
            throw damaged(next, "nothing");
        }
    }

    private ModelStateException damaged(long expected, String found) {
        return new ModelStateException("the model's state is damaged: expected a chunk of section '" + section
                + "' at byte " + expected + " of " + bytes() + ", found " + found);
    }

    /** Returns the number of bytes of the section; 0 when the state does not have the section. */
    public long bytes() {
        return chunks.isEmpty() ? 0 : chunks.get(0).sectionBytes();
    }

    /**
     * Checks the section's length.
     *
     * @throws ModelStateException when the length differs
     */
    public SectionReader require(long expected) {
        if (bytes() != expected) {
            throw new ModelStateException("the model's state is damaged: expected " + expected + " bytes in section '"
                    + section + "', found " + bytes());
        }
        return this;
    }

    /**
     * Fills tensors with the bytes of the section, one after the other. The section must have exactly the bytes of the
     * tensors.
     */
    public void fill(List<TensorValues> into) {
        into.forEach(values -> values.write(this::get));
    }

    /** Fills the rest of the buffer. The section must have at least as many unread bytes. */
    void get(ByteBuffer into) {
        ByteBuffer left = into.duplicate();
        while (left.hasRemaining()) {
            int length = Math.min(left.remaining(), unreadInChunk());
            if (length == 0) {
                throw new IllegalStateException("section '" + section + "' is at its end");
            }
            chunks.get(current).copy(read, left.slice(left.position(), length));
            left.position(left.position() + length);
            read += length;
        }
    }

    /** Returns the number of unread bytes in the current chunk; 0 at the end. */
    private int unreadInChunk() {
        while (current < chunks.size() && read == chunks.get(current).bytes()) {
            current++;
            read = 0;
        }
        return current == chunks.size() ? 0 : chunks.get(current).bytes() - read;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int from, int length) {
        int possible = Math.min(length, unreadInChunk());
        if (possible == 0) {
            return length == 0 ? 0 : -1;
        }
        get(ByteBuffer.wrap(into, from, possible));
        return possible;
    }
}
