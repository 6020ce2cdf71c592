package io.millrace.train.engine;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** The float32 values of a tensor, wherever they are, for the processor to read and write. Belongs to the trainer's thread. */
public interface TensorValues {
    /** How many bytes they have. */
    int bytes();

    /** Gives all values to {@code reader} in order, in pieces that are valid within the call alone. */
    void read(Consumer<ByteBuffer> reader);

    /** Replaces all values by what {@code writer} puts into a buffer of their size. */
    void write(Consumer<ByteBuffer> writer);
}
