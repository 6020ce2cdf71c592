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
    private static final int MOST_REPLY_BYTES = 1 << 24;

    /** In place of a length: the process that worked has ended, and its exit code follows. */
    private static final int ENDED = -2;

    /** The bit of the length that marks a profile of the user's code, which is no answer. */
    private static final int PROFILE = 1 << 31;

    private final FileChannel toWorker;
    private final FileChannel fromWorker;
    private final CodeSamples samples;
    private ByteBuffer reply = buffer(REPLY_BYTES);

    /** The end of the received bytes in the buffer. */
    private int received;

    /** The end of the latest message in the buffer. */
    private int end;

    private boolean isProfile;

    private WorkerChannel(FileChannel toWorker, FileChannel fromWorker, CodeSamples samples) {
        this.toWorker = toWorker;
        this.fromWorker = fromWorker;
        this.samples = samples;
    }

    /**
     * Opens the pipes of a process that has just started and that waits for its first message.
     *
     * @param samples receives the samples of the user's code that the process sends before other messages
     */
    static WorkerChannel open(Process process, CodeSamples samples) throws IOException {
        Path descriptors = Path.of("/proc", String.valueOf(process.pid()), "fd");
        return open(descriptors.resolve("0"), descriptors.resolve("1"), samples);
    }

    /** Opens two pipes. */
    static WorkerChannel open(Path toWorker, Path fromWorker, CodeSamples samples) throws IOException {
        Handles handles = new Handles();
        FileChannel to = handles.add(FileChannel.open(toWorker, StandardOpenOption.WRITE));
        return handles.closeOnFailure(
                () -> new WorkerChannel(to, FileChannel.open(fromWorker, StandardOpenOption.READ), samples));
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
     * Returns the next answer without its length, valid until the next call; null at the end of the channel.
     *
     * @throws ChildEndedException when the process that worked has ended, and another one can replace it
     */
    @Nullable
    ByteBuffer receive() throws IOException, MalformedReplyException, ChildEndedException {
        ByteBuffer message = next();
        while (message != null && isProfile) {
            samples.add(message);
            message = next();
        }
        return message;
    }

    /** Returns the next message. One read of the pipe may return several messages. */
    private @Nullable ByteBuffer next() throws IOException, MalformedReplyException, ChildEndedException {
        reply.limit(received).position(end).compact();
        if (!fill(Integer.BYTES)) {
            return null;
        }
        if (reply.getInt(0) == ENDED) {
            if (!fill(2 * Integer.BYTES)) {
                return null;
            }
            received = reply.position();
            end = 2 * Integer.BYTES;
            throw new ChildEndedException(reply.getInt(Integer.BYTES));
        }
        isProfile = (reply.getInt(0) & PROFILE) != 0;
        int length = reply.getInt(0) & ~PROFILE;
        if (length > MOST_REPLY_BYTES) {
            throw new MalformedReplyException(
                    "expected a reply of 0 to " + MOST_REPLY_BYTES + " bytes, found " + length);
        }
        if (Integer.BYTES + length > reply.capacity()) {
            reply = buffer(Integer.BYTES + length).put(reply.flip());
        }
        if (!fill(Integer.BYTES + length)) {
            return null;
        }
        received = reply.position();
        end = Integer.BYTES + length;
        return reply.limit(end).position(Integer.BYTES);
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
