package io.millrace.serve;

import io.millrace.device.BufferMemory;
import io.millrace.file.MemoryFiles;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that a client has got, in the memory that it wished for.
 *
 * @param memory the buffers; the owner of this object closes them
 * @param isInline whether batches are sent to the client because it does not share the memory
 */
public record ClientBuffers(BufferMemory memory, boolean isInline) {
    private static final int LEAST = 2;

    /**
     * The buffers of a client that follows a lower recommendation: one that is filled, one that is read, and one before
     * it.
     */
    private static final int LEAST_RECOMMENDED = 3;

    private static final int MOST = 1024;

    /** The memory of this process for a client that receives batches inline, unless the recommended buffers need more. */
    private static final long MOST_INLINE_BYTES = 1L << 30;

    /**
     * Makes the buffers that a client wishes for, and answers the client.
     *
     * @param recommended the number of buffers that a client may have inline, whatever their size
     * @return the buffers; null when they cannot be had, so that the client may wish for others
     * @throws ProtocolException when this is no wish of the protocol
     */
    public static @Nullable ClientBuffers offer(Client client, MemoryWish wish, BufferLayout layout, int recommended)
            throws IOException {
        if (wish.buffers() < LEAST || wish.buffers() > MOST) {
            throw new ProtocolException(
                    "the client wishes for " + wish.buffers() + " buffers: expected " + LEAST + " to " + MOST);
        }
        String kind = String.valueOf(wish.kind());
        try {
            switch (kind) {
                case "memfd" -> {
                    BufferMemory shared = ClientMemory.open(
                            String.valueOf(wish.path()),
                            wish.buffers(),
                            layout.bufferBytes(),
                            String.valueOf(wish.nonce()));
                    client.send(MessageType.MAPPED, Map.of("kind", kind));
                    return new ClientBuffers(shared, false);
                }
                case "file" -> {
                    ServerFile file = ServerFile.create(MemoryFiles.FOLDER, wish.buffers(), layout.bufferBytes());
                    client.send(
                            MessageType.MAPPED,
                            Map.of("kind", kind, "path", file.path().toString(), "nonce", file.nonce()));
                    return new ClientBuffers(file, false);
                }
                case "inline" -> {
                    BufferMemory own = inline(wish.buffers(), layout.fixedBytes(), recommended);
                    client.send(MessageType.MAPPED, Map.of("kind", kind));
                    return new ClientBuffers(own, true);
                }
                default ->
                    throw new ProtocolException(
                            "the client wishes for memory of the kind " + kind + ": expected memfd, file or inline");
            }
        } catch (MemoryRefusedException e) {
            client.send(MessageType.MAPPED, Map.of("kind", "refused", "reason", String.valueOf(e.getMessage())));
            return null;
        }
    }

    private static OwnBuffers inline(int buffers, long bufferBytes, int recommended) throws MemoryRefusedException {
        long most = mostInline(bufferBytes, recommended);
        if (buffers > most) {
            throw new MemoryRefusedException("the client wishes for " + buffers + " buffers of " + bufferBytes
                    + " bytes inline, which are memory of the server: expected at most " + most + " buffers");
        }
        try {
            return new OwnBuffers(buffers, bufferBytes);
        } catch (OutOfMemoryError e) {
            throw new MemoryRefusedException(
                    "the server has no memory for " + buffers + " buffers of " + bufferBytes + " bytes: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Returns the largest number of buffers of a client that receives batches inline. */
    static long mostInline(long bufferBytes, int recommended) {
        return Math.max(MOST_INLINE_BYTES / bufferBytes, Math.max(recommended, LEAST_RECOMMENDED));
    }

    /** Records that the client has mapped its buffers. Any thread may call it. */
    public void mapped() {
        if (memory instanceof ServerFile file) {
            file.delete();
        }
    }
}
