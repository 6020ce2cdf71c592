package io.millrace.train.state;

import io.millrace.train.StateHeader;
import io.millrace.train.TrainStep;
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
 * A copy of everything that a {@link TrainStep} needs to go on: weights, running statistics, the optimizer's moments and
 * the number of updates. It does not change while the training goes on, and any thread may read it. Random numbers of a
 * training are a function of its seed and the step, so there are none in it.
 *
 * <p>Its first chunk says what it is of, see {@link StateHeader}. Whoever asked for it closes it when nobody needs to
 * read it any more; what is forgotten is freed by the garbage collector, see {@link StateChunk}.
 */
public final class ModelState implements AutoCloseable {
    /** What a file begins with: "MRMS". */
    private static final int MAGIC = 0x4d524d53;

    private static final int FILE_VERSION = 1;

    private final List<StateChunk> chunks;

    /** Takes these chunks over. */
    public ModelState(List<StateChunk> chunks) {
        this.chunks = List.copyOf(chunks);
    }

    /** The pieces, the header first; they live as long as this. */
    public List<StateChunk> chunks() {
        return chunks;
    }

    /** The bytes of all chunks. */
    public long bytes() {
        return chunks.stream().mapToLong(StateChunk::bytes).sum();
    }

    /** Writes the file form; more may follow in the same stream. */
    public void write(DataOutput out) throws IOException {
        out.writeInt(MAGIC);
        out.writeInt(FILE_VERSION);
        out.writeInt(chunks.size());
        for (StateChunk chunk : chunks) {
            chunk.write(out);
        }
    }

    /** Writes a file, in place of one of this name. */
    public void write(Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            write(out);
        }
    }

    /**
     * Reads the file form and nothing after it; the caller closes it.
     *
     * @throws IOException when it is something else, of an unknown version, damaged or too short
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
                        + FILE_VERSION + ": read it with the Millrace that wrote it, or begin anew");
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
     * Reads a file; the caller closes what it gets.
     *
     * @throws IOException when it is something else, of an unknown version, damaged or too short
     */
    public static ModelState read(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            return read(in);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Gives the memory back, whoever still reads; closing again does nothing. */
    @Override
    public void close() {
        chunks.forEach(StateChunk::close);
    }
}
