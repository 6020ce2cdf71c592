package io.millrace.dataset.tfrecord;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of TFRecord files: CRC-32C, rotated by 15 bits and then increased by a constant. Without these changes,
 * the checksum of data that contains checksums would be weak.
 */
public final class MaskedCrc {
    private static final int ROTATION_BITS = 15;
    private static final int ADDEND = 0xA282EAD8;

    private MaskedCrc() {}

    /** Returns the checksum of all remaining bytes of {@code data}, whose position moves to its end. */
    public static int of(ByteBuffer data) {
        CRC32C crc = new CRC32C();
        crc.update(data);
        return Integer.rotateRight((int) crc.getValue(), ROTATION_BITS) + ADDEND;
    }
}
