package io.millrace.dataset.arrow;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.flatbuf.Message;

/**
 * One message of a file: its metadata and the position of its body.
 *
 * @param position the offset of the message in the file
 * @param message the metadata, on the heap; reads of it are checked against its bounds, but its content is not checked
 * @param body the offset of the body in the file
 * @param bodyLength the length of the body, which lies within the file
 */
record IpcMessage(long position, Message message, long body, long bodyLength) {
    /** The marker before a message's length since Arrow 0.15. Messages of older files begin with the length. */
    private static final int CONTINUATION = -1;

    /**
     * The number of bytes that are read first. Most metadata is smaller, so most messages of a remote file need only
     * one request.
     */
    private static final int FIRST_READ_BYTES = 4096;

    /** The largest size of metadata in bytes. A larger size means damage. */
    private static final int MAX_METADATA_BYTES = 1 << 28;

    /** Returns the offset at which the next message begins. */
    long end() {
        return body + bodyLength;
    }

    /**
     * Reads the message at an offset. The result is empty at the end of the stream.
     *
     * @throws DatasetException when there is no message, or the file ends within it
     */
    static Optional<IpcMessage> at(RangedFile file, long position) throws IOException {
        int available = (int) Math.min(FIRST_READ_BYTES, file.size() - position);
        if (available == 0) {
            return Optional.empty();
        }
        byte[] bytes = file.read(position, available);
        ByteBuffer head = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int length = available < Integer.BYTES ? -1 : head.getInt();
        if (length == CONTINUATION && head.remaining() >= Integer.BYTES) {
            length = head.getInt();
        }
        if (length == 0) {
            return Optional.empty();
        }
        long left = file.size() - position - head.position();
        if (length < 0 || length > MAX_METADATA_BYTES || length > left) {
            throw new DatasetException(file.name() + ": at offset " + position + " expected a message of at most "
                    + left + " bytes, found "
                    + (available < Integer.BYTES ? available + " bytes" : "a length of " + length));
        }
        int start = head.position();
        byte[] metadata = Arrays.copyOfRange(bytes, start, start + length);
        if (length > available - start) {
            file.read(position + available, metadata, available - start, length - (available - start));
        }
        return Optional.of(of(file, position, position + start + length, metadata));
    }

    private static IpcMessage of(RangedFile file, long position, long body, byte[] metadata) throws IOException {
        Message message = checked(file, position, () -> Message.getRootAsMessage(ByteBuffer.wrap(metadata)));
        long bodyLength = checked(file, position, message::bodyLength);
        if (bodyLength < 0 || bodyLength > file.size() - body) {
            throw new DatasetException(file.name() + ": at offset " + position + " a message states that " + bodyLength
                    + " bytes follow it; expected at most " + (file.size() - body) + " before the file ends at "
                    + file.size());
        }
        return new IpcMessage(position, message, body, bodyLength);
    }

    /**
     * Runs a read of metadata, whose offsets may point anywhere when the metadata is damaged.
     *
     * @throws DatasetException in place of the unchecked exceptions that such a read throws
     */
    static <T> T checked(RangedFile file, long position, Supplier<T> read) throws DatasetException {
        try {
            return Objects.requireNonNull(read.get(), "a part is missing");
        } catch (RuntimeException | StackOverflowError e) {
            throw new DatasetException(
                    file.name() + ": the metadata at offset " + position + " is damaged: "
                            + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()),
                    e);
        }
    }
}
