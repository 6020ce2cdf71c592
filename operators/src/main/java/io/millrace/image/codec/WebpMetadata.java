package io.millrace.image.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the orientation in a WebP. Only an extended one has it, whose first chunk states whether the chunks EXIF and XMP
 * count.
 */
final class WebpMetadata {
    private static final int FIRST_CHUNK = 12;
    private static final int CHUNK_HEADER_BYTES = 8;
    private static final int FLAGS = 20;
    private static final int EXIF_FLAG = 8;
    private static final int XMP_FLAG = 4;

    private WebpMetadata() {}

    static int orientation(byte[] file) {
        if (!isChunk(file, FIRST_CHUNK, "VP8X")) {
            return Orientations.UPRIGHT;
        }
        return Orientations.of(
                (file[FLAGS] & EXIF_FLAG) == 0 ? null : chunk(file, "EXIF"),
                (file[FLAGS] & XMP_FLAG) == 0 ? null : chunk(file, "XMP "));
    }

    /** Returns the content of the first chunk of a type; null when there is none. */
    private static byte @Nullable [] chunk(byte[] file, String type) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        long end = Math.min(file.length, 8 + (bytes.getInt(4) & 0xffffffffL));
        long at = FIRST_CHUNK;
        while (at + CHUNK_HEADER_BYTES <= end) {
            int content = (int) at + CHUNK_HEADER_BYTES;
            long length = bytes.getInt((int) at + 4) & 0xffffffffL;
            long next = content + length + (length & 1);
            if (next > end) {
                return null;
            }
            if (isChunk(file, (int) at, type)) {
                return Arrays.copyOfRange(file, content, content + (int) length);
            }
            at = next;
        }
        return null;
    }

    private static boolean isChunk(byte[] file, int at, String type) {
        return new String(file, at, 4, StandardCharsets.ISO_8859_1).equals(type);
    }
}
