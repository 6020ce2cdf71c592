package io.millrace.dataset.shard;

import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The structure of a zstd file (RFC 8878): frames, each of which consists of a header, blocks and an optional checksum. The stream of
 * the library reports the end of the data where a file is cut off within its second or a later frame, so this class checks that the
 * last frame is whole.
 *
 * <p>Tested by {@code InflatedFilesTest}.
 */
final class ZstdFrames {
    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE = 0x184D2A50;
    private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
    private static final int SINGLE_SEGMENT = 1 << 5;
    private static final int CHECKSUM = 1 << 2;
    private static final int CHECKSUM_BYTES = 4;
    private static final int BLOCK_HEADER_BYTES = 3;
    private static final int RUN = 1;
    private static final int RESERVED = 3;
    private static final int[] DICTIONARY_BYTES = {0, 1, 2, 4};
    private static final int[] CONTENT_SIZE_BYTES = {0, 2, 4, 8};

    private ZstdFrames() {}

    /**
     * Reads the headers of all frames and blocks.
     *
     * @throws DatasetException when the file ends within a frame, or contains anything but frames
     */
    static void requireWhole(ScanWindow file) throws IOException {
        try {
            long at = 0;
            while (at < file.size()) {
                at = end(file, at);
            }
            if (at == 0 || at > file.size()) {
                throw new LostStructureException(
                        file.size(),
                        at == 0 ? "expected a frame, found an empty file" : "found the end within a frame");
            }
        } catch (LostStructureException e) {
            throw new DatasetException(
                    file.name() + " is no whole Zstandard file: at offset "
                            + e.loss(file.size()).offset() + " "
                            + e.loss(file.size()).reason(),
                    e);
        }
    }

    /** Returns the offset after a frame. */
    private static long end(ScanWindow file, long frame) throws IOException {
        int magic = file.bytes(frame, Integer.BYTES, "a frame").getInt();
        if ((magic & SKIPPABLE_MASK) == SKIPPABLE) {
            return frame
                    + 2L * Integer.BYTES
                    + Integer.toUnsignedLong(file.bytes(frame + Integer.BYTES, Integer.BYTES, "a frame's size")
                            .getInt());
        }
        if (magic != MAGIC) {
            throw new LostStructureException(
                    frame, String.format("expected a frame with the magic number %08x, found %08x", MAGIC, magic));
        }
        int descriptor =
                file.bytes(frame + Integer.BYTES, 1, "a frame's header").get();
        boolean single = (descriptor & SINGLE_SEGMENT) != 0;
        int sizeFlag = (descriptor >>> 6) & 3;
        long at = frame
                + Integer.BYTES
                + 1
                + (single ? 0 : 1)
                + DICTIONARY_BYTES[descriptor & 3]
                + (single && sizeFlag == 0 ? 1 : CONTENT_SIZE_BYTES[sizeFlag]);
        boolean last = false;
        while (!last) {
            ByteBuffer bytes = file.bytes(at, BLOCK_HEADER_BYTES, "a block's header");
            int header = (bytes.getShort(0) & 0xFFFF) | ((bytes.get(2) & 0xFF) << Short.SIZE);
            int type = (header >>> 1) & 3;
            if (type == RESERVED) {
                throw new LostStructureException(at, "expected a block of the types 0 to 2, found type 3");
            }
            at += BLOCK_HEADER_BYTES + (type == RUN ? 1 : header >>> BLOCK_HEADER_BYTES);
            last = (header & 1) != 0;
        }
        return at + ((descriptor & CHECKSUM) != 0 ? CHECKSUM_BYTES : 0);
    }
}
