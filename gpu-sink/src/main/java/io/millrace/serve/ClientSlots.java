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
    private static final int MOST = 1024;

    /**
     * Makes the slots that a client wishes for, and answers the client.
     *
     * @return the slots; null when they cannot be had, so that the client may wish for others
     * @throws ProtocolException when this is no wish of the protocol
     */
    public static @Nullable ClientSlots offer(Client client, MemoryWish wish, SlotLayout layout) throws IOException {
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
                    SlotMemory own = new OwnSlots(wish.slots(), layout.fixedBytes());
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

    /** Records that the client has mapped its slots. Any thread may call it. */
    public void mapped() {
        if (memory instanceof ServerFile file) {
            file.delete();
        }
    }
}
