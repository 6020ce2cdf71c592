package io.millrace.train.engine;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The float32 values of a tensor in any memory, which the CPU reads and writes through this interface. Belongs to the
 * trainer's thread.
 */
public interface TensorValues {
    /** Returns the number of bytes of all values. */
    int bytes();

    /** Passes all values to {@code reader} in order, in pieces. A piece is valid only within the call. */
    void read(Consumer<ByteBuffer> reader);

    /** Replaces all values by those that {@code writer} puts into a buffer of their size. */
    void write(Consumer<ByteBuffer> writer);
}
