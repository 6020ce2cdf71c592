package io.millrace.train.state;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A writer of one section of a model's state into chunks. The number and the total length of the chunks are known only
 * at the end. Belongs to one thread. If the writer is closed before {@link #chunks} is called, it frees the copied
 * bytes.
 */
public final class SectionWriter extends OutputStream {
    private final ChunkPool pool;
    private final String section;
    private final long expectedBytes;
    private final int chunkBytes;
    private final List<Piece> pieces = new ArrayList<>();
    private long written;

    private static final class Piece {
        final ChunkMemory memory;
        final ByteBuffer room;

        Piece(ChunkMemory memory, int bytes) {
            this.memory = memory;
            this.room = memory.fill().limit(bytes);
        }
    }

    /**
     * Begins a section.
     *
     * @param expectedBytes the expected length, which determines the sizes of chunks; fewer or more bytes are accepted
     * @param chunkBytes the largest number of bytes of one chunk
     */
    public SectionWriter(ChunkPool pool, String section, long expectedBytes, int chunkBytes) {
        this.pool = pool;
        this.section = section;
        this.expectedBytes = expectedBytes;
        this.chunkBytes = chunkBytes;
    }

    /** Copies the buffer's remaining bytes. */
    public void put(ByteBuffer bytes) {
        ByteBuffer left = bytes.duplicate();
        while (left.hasRemaining()) {
            ByteBuffer room = room();
            int length = Math.min(room.remaining(), left.remaining());
            room.put(left.slice(left.position(), length));
            left.position(left.position() + length);
            written += length;
        }
    }

    private ByteBuffer room() {
        if (!pieces.isEmpty() && pieces.get(pieces.size() - 1).room.hasRemaining()) {
            return pieces.get(pieces.size() - 1).room;
        }
        long left = expectedBytes - written;
        int bytes = left > 0 && left < chunkBytes ? (int) left : chunkBytes;
        Piece piece = new Piece(pool.take(bytes), bytes);
        pieces.add(piece);
        return piece.room;
    }

    @Override
    public void write(int value) {
        put(ByteBuffer.wrap(new byte[] {(byte) value}));
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        put(ByteBuffer.wrap(bytes, from, length));
    }

    /** Ends the section and returns its chunks. The caller owns them. An empty section has no chunks. */
    public List<StateChunk> chunks() {
        List<StateChunk> chunks = new ArrayList<>();
        long offset = 0;
        for (Piece piece : pieces) {
            int bytes = piece.room.position();
            chunks.add(new StateChunk(section, offset, written, bytes, piece.memory));
            offset += bytes;
        }
        pieces.clear();
        return chunks;
    }

    @Override
    public void close() {
        pieces.forEach(piece -> piece.memory.close());
        pieces.clear();
    }
}
