package io.millrace.exchange;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A connection to another rank. Its frames are little-endian: <pre>
 * i32 VALUES | i32 count | i64 each      the values of a gather
 * i32 LEAVING                            the last frame
 * i32 SEGMENT | i32 number | i64 floats | f32 each
 * </pre>
 *
 * <p>One thread writes, and one thread reads. Any thread may close the connection.
 */
final class Frames implements AutoCloseable {
    private static final int VALUES = 0x4d525601;
    private static final int LEAVING = 0x4d525602;
    private static final int SEGMENT = 0x4d525603;

    /** The largest number of values in a frame; ranks exchange far fewer. */
    private static final int MOST_VALUES = 1 << 16;

    private final int rank;
    private final SocketChannel channel;
    private final ByteBuffer out =
            ByteBuffer.allocateDirect(FloatSegments.CHUNK * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer in =
            ByteBuffer.allocateDirect(FloatSegments.CHUNK * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** Takes ownership of a blocking channel to the rank. */
    Frames(int rank, SocketChannel channel) {
        this.rank = rank;
        this.channel = channel;
    }

    void write(long[] values) throws IOException {
        out.clear().putInt(VALUES).putInt(values.length);
        for (long value : values) {
            out.putLong(value);
        }
        flush();
    }

    /** Reads values; returns null when the other rank has left without a failure. */
    long @Nullable [] read() throws IOException {
        int kind = fill(Integer.BYTES).getInt();
        if (kind == LEAVING) {
            return null;
        }
        int count = fill(Integer.BYTES).getInt();
        if (kind != VALUES || count < 0 || count > MOST_VALUES || count * Long.BYTES > in.capacity()) {
            throw unexpected("values", kind, count);
        }
        long[] values = new long[count];
        fill(count * Long.BYTES).asLongBuffer().get(values);
        return values;
    }

    void writeSegment(int number, long floats) throws IOException {
        out.clear().putInt(SEGMENT).putInt(number).putLong(floats);
        flush();
    }

    void readSegment(int number, long floats) throws IOException {
        ByteBuffer header = fill(2 * Integer.BYTES + Long.BYTES);
        int kind = header.getInt();
        int foundNumber = header.getInt();
        long foundFloats = header.getLong();
        if (kind != SEGMENT || foundNumber != number || foundFloats != floats) {
            throw unexpected("segment " + number + " of " + floats + " floats", kind, foundFloats);
        }
    }

    void write(float[] values, int count) throws IOException {
        out.clear().limit(count * Float.BYTES);
        out.asFloatBuffer().put(values, 0, count);
        out.position(count * Float.BYTES);
        flush();
    }

    void read(float[] into, int count) throws IOException {
        fill(count * Float.BYTES).asFloatBuffer().get(into, 0, count);
    }

    /** Writes the last frame. */
    void leave() throws IOException {
        out.clear().putInt(LEAVING);
        flush();
        channel.shutdownOutput();
    }

    /** Returns an exception for a failure of this connection; its message names the rank. */
    ExchangeException gone(IOException cause) {
        return new RankGoneException("rank " + rank + " is gone: " + cause.getMessage(), cause);
    }

    private void flush() throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    private ByteBuffer fill(int bytes) throws IOException {
        in.clear().limit(bytes);
        while (in.hasRemaining()) {
            if (channel.read(in) < 0) {
                throw new EOFException("it closed the connection");
            }
        }
        return in.flip();
    }

    private ExchangeException unexpected(String expected, int kind, long count) {
        return new ExchangeException("rank " + rank + " sent an unexpected frame: expected " + expected
                + ", found kind " + Integer.toHexString(kind) + " of " + count);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing the connection to rank " + rank, e);
        }
    }
}
