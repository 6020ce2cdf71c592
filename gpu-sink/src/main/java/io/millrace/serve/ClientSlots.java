package io.millrace.serve;

import io.millrace.device.SlotMemory;
import io.millrace.file.MemoryFiles;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The slots that a client has got, in the memory that it wished for.
 *
 * @param memory the slots; the owner of this object closes them
 * @param isInline whether batches are sent to the client because it does not share the memory
 */
public record ClientSlots(SlotMemory memory, boolean isInline) {
    private static final int LEAST = 2;

    /** The slots of a client that follows a lower recommendation: one that is filled, one that is read, and one before it. */
    private static final int LEAST_RECOMMENDED = 3;

    private static final int MOST = 1024;

    /** The memory of this process for a client that receives batches inline, unless the recommended slots need more. */
    private static final long MOST_INLINE_BYTES = 1L << 30;

    /**
     * Makes the slots that a client wishes for, and answers the client.
     *
     * @param recommended the number of slots that a client may have inline, whatever their size
     * @return the slots; null when they cannot be had, so that the client may wish for others
     * @throws ProtocolException when this is no wish of the protocol
     */
    public static @Nullable ClientSlots offer(Client client, MemoryWish wish, SlotLayout layout, int recommended)
            throws IOException {
        if (wish.slots() < LEAST || wish.slots() > MOST) {
            throw new ProtocolException(
                    "the client wishes for " + wish.slots() + " slots: expected " + LEAST + " to " + MOST);
        }
        String kind = String.valueOf(wish.kind());
        try {
            switch (kind) {
                case "memfd" -> {
                    SlotMemory shared = ClientMemory.open(
                            String.valueOf(wish.path()),
                            wish.slots(),
                            layout.slotBytes(),
                            String.valueOf(wish.nonce()));
                    client.send(MessageType.MAPPED, Map.of("kind", kind));
                    return new ClientSlots(shared, false);
                }
                case "file" -> {
                    ServerFile file = ServerFile.create(MemoryFiles.FOLDER, wish.slots(), layout.slotBytes());
                    client.send(
                            MessageType.MAPPED,
                            Map.of("kind", kind, "path", file.path().toString(), "nonce", file.nonce()));
                    return new ClientSlots(file, false);
                }
                case "inline" -> {
                    SlotMemory own = inline(wish.slots(), layout.fixedBytes(), recommended);
                    client.send(MessageType.MAPPED, Map.of("kind", kind));
                    return new ClientSlots(own, true);
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

    private static OwnSlots inline(int slots, long slotBytes, int recommended) throws MemoryRefusedException {
        long most = mostInline(slotBytes, recommended);
        if (slots > most) {
            throw new MemoryRefusedException("the client wishes for " + slots + " slots of " + slotBytes
                    + " bytes inline, which are memory of the server: expected at most " + most + " slots");
        }
        try {
            return new OwnSlots(slots, slotBytes);
        } catch (OutOfMemoryError e) {
            throw new MemoryRefusedException(
                    "the server has no memory for " + slots + " slots of " + slotBytes + " bytes: " + e.getMessage(),
                    e);
        }
    }

    /** Returns the largest number of slots of a client that receives batches inline. */
    static long mostInline(long slotBytes, int recommended) {
        return Math.max(MOST_INLINE_BYTES / slotBytes, Math.max(recommended, LEAST_RECOMMENDED));
    }

    /** Records that the client has mapped its slots. Any thread may call it. */
    public void mapped() {
        if (memory instanceof ServerFile file) {
            file.delete();
        }
    }
}
