package io.millrace.python;

import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control channel of a worker: the pipes of its standard input and output, opened once more as channels. An interrupt of
 * the thread that reads, and {@link #close} in another thread, end a read at once. That is not so with the streams of {@link
 * Process}.
 */
final class WorkerChannel implements AutoCloseable {
    /** The first size of the buffer for replies. */
    private static final int REPLY_BYTES = 1 << 16;

    /** A longer reply does not follow the protocol. */
    private static final int MOST_REPLY_BYTES = 1 << 20;

    /** In place of a length: the process that worked has ended, and its exit code follows. */
    private static final int ENDED = -2;

    private final FileChannel toWorker;
    private final FileChannel fromWorker;
    private ByteBuffer reply = buffer(REPLY_BYTES);

    private WorkerChannel(FileChannel toWorker, FileChannel fromWorker) {
        this.toWorker = toWorker;
        this.fromWorker = fromWorker;
    }

    /** Opens the pipes of a process that has just started and that waits for its first message. */
    static WorkerChannel open(Process process) throws IOException {
        Path descriptors = Path.of("/proc", String.valueOf(process.pid()), "fd");
        Handles handles = new Handles();
        FileChannel to = handles.add(FileChannel.open(descriptors.resolve("0"), StandardOpenOption.WRITE));
        return handles.closeOnFailure(
                () -> new WorkerChannel(to, FileChannel.open(descriptors.resolve("1"), StandardOpenOption.READ)));
    }

    /** Sends a message after its length. */
    void sendWithLength(byte[] message) throws IOException {
        send(buffer(Integer.BYTES + message.length)
                .putInt(message.length)
                .put(message)
                .flip());
    }

    /** Sends bytes that begin with their length. */
    void send(ByteBuffer message) throws IOException {
        while (message.hasRemaining()) {
            toWorker.write(message);
        }
    }

    /**
     * Returns the next message without its length, valid until the next call; null at the end of the channel.
     *
     * @throws ChildEndedException when the process that worked has ended, and another one can replace it
     */
    @Nullable
    ByteBuffer receive() throws IOException, MalformedReplyException, ChildEndedException {
        reply.clear();
        if (!fill(Integer.BYTES)) {
            return null;
        }
        int length = reply.getInt(0);
        if (length == ENDED) {
            if (!fill(2 * Integer.BYTES)) {
                return null;
            }
            throw new ChildEndedException(reply.getInt(Integer.BYTES));
        }
        if (length < 0 || length > MOST_REPLY_BYTES) {
            throw new MalformedReplyException(
                    "expected a reply of 0 to " + MOST_REPLY_BYTES + " bytes, found " + length);
        }
        if (Integer.BYTES + length > reply.capacity()) {
            reply = buffer(Integer.BYTES + length).put(reply.flip());
        }
        return fill(Integer.BYTES + length)
                ? reply.flip().position(Integer.BYTES).limit(Integer.BYTES + length)
                : null;
    }

    private boolean fill(int bytes) throws IOException {
        while (reply.position() < bytes) {
            if (fromWorker.read(reply) < 0) {
                return false;
            }
        }
        return true;
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Ends the channel; the worker then ends too. Any thread may call it, also during a read. */
    @Override
    public void close() throws IOException {
        Handles.closeAll(List.of(toWorker, fromWorker));
    }
}
