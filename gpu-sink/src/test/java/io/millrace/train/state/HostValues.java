package io.millrace.train.state;

import io.millrace.train.engine.TensorValues;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Tensor values in a host buffer, for tests. */
public record HostValues(ByteBuffer buffer) implements TensorValues {
    public static HostValues zeros(int bytes) {
        return new HostValues(ByteBuffer.allocateDirect(bytes));
    }

    @Override
    public int bytes() {
        return buffer.remaining();
    }

    @Override
    public void read(Consumer<ByteBuffer> reader) {
        reader.accept(buffer.duplicate());
    }

    @Override
    public void write(Consumer<ByteBuffer> writer) {
        writer.accept(buffer.duplicate());
    }
}
