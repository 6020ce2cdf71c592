package io.millrace.train.state;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A copy of all state that a training needs to continue: the weights, the running statistics, the optimizer's moments
 * and the number of updates. The copy does not change while the training continues, and any thread may read it. It
 * contains no random numbers, because they are a function of the training's seed and the step.
 *
 * <p>The first chunk describes the state, see {@code StateHeader}. The owner closes the state when no thread reads it
 * any more. The garbage collector frees a state that is not closed, see {@link StateChunk}.
 */
public final class ModelState implements AutoCloseable {
    /** The first bytes of a file, "MRMS". */
    private static final int MAGIC = 0x4d524d53;

    private static final int FILE_VERSION = 1;

    private final List<StateChunk> chunks;

    /** Takes ownership of these chunks. */
    public ModelState(List<StateChunk> chunks) {
        this.chunks = List.copyOf(chunks);
    }

    /** Returns the chunks, the header first. They live as long as this object. */
    public List<StateChunk> chunks() {
        return chunks;
    }

    /** Returns the number of bytes of all chunks. */
    public long bytes() {
        return chunks.stream().mapToLong(StateChunk::bytes).sum();
    }

    /** Writes the state in the file format. Other data may follow in the stream. */
    public void write(DataOutput out) throws IOException {
        out.writeInt(MAGIC);
        out.writeInt(FILE_VERSION);
        out.writeInt(chunks.size());
        for (StateChunk chunk : chunks) {
            chunk.write(out);
        }
    }

    /** Writes the state to a file. An existing file is replaced. */
    public void write(Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            write(out);
        }
    }

    /**
     * Reads a state in the file format, and no bytes after it. The caller closes the state.
     *
     * @throws IOException when the data are of another format or version, damaged or too short
     */
    public static ModelState read(DataInput in) throws IOException {
        List<StateChunk> chunks = new ArrayList<>();
        int count = 0;
        try {
            int magic = in.readInt();
            if (magic != MAGIC) {
                throw new IOException("expected a model's state, which begins with " + Integer.toHexString(MAGIC)
                        + ", found " + Integer.toHexString(magic));
            }
            int version = in.readInt();
            if (version != FILE_VERSION) {
                throw new IOException("the model's state has version " + version + ", this Millrace reads version "
                        + FILE_VERSION + ": read it with the Millrace that wrote it, or start a new run");
            }
            count = in.readInt();
            for (int i = 0; i < count; i++) {
                chunks.add(StateChunk.read(in));
            }
            return new ModelState(chunks);
        } catch (IOException | RuntimeException e) {
            chunks.forEach(StateChunk::close);
            if (e instanceof EOFException) {
                throw new IOException(
                        "the model's state is too short: expected " + count + " pieces, found " + chunks.size(), e);
            }
            throw e;
        }
    }

    /**
     * Reads a state from a file. The caller closes the state.
     *
     * @throws IOException when the file is of another format or version, damaged or too short
     */
    public static ModelState read(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            return read(in);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Frees the memory, even while other threads read. A second call does nothing. */
    @Override
    public void close() {
        chunks.forEach(StateChunk::close);
    }
}
