package io.millrace.dataset.hdf5;

import io.millrace.file.HeapLimit;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/** The value of elements that were never written. */
final class FillValue {
    private static final int NEVER = 1;

    private FillValue() {}

    /** Returns the bytes of an element, or no bytes where they are zeros: an element may have up to 1 GB. */
    static byte[] of(ObjectHeader header, int elementBytes) throws IOException {
        byte[] value = new byte[0];
        Optional<Cursor> message = header.find(ObjectHeader.FILL_VALUE);
        Optional<Cursor> old = header.find(ObjectHeader.OLD_FILL_VALUE);
        if (message.isPresent()) {
            value = read(message.get());
        } else if (old.isPresent()) {
            value = sized(old.get());
        }
        if (value.length != 0 && value.length != elementBytes) {
            throw (message.isPresent() ? message : old)
                    .orElseThrow()
                    .malformed("expected a fill value of " + elementBytes + " bytes, found " + value.length);
        }
        return Arrays.equals(value, new byte[value.length]) ? new byte[0] : value;
    }

    private static byte[] read(Cursor message) throws MalformedHdf5Exception {
        int version = message.version("a fill value", 1, 3);
        if (version == 3) {
            int flags = message.uint8();
            return (flags >> 2 & 3) != NEVER && (flags & 0x20) != 0 ? sized(message) : new byte[0];
        }
        message.skip(1);
        int time = message.uint8();
        boolean defined = message.uint8() != 0;
        return defined && time != NEVER ? sized(message) : new byte[0];
    }

    private static byte[] sized(Cursor message) throws MalformedHdf5Exception {
        long count = message.uint32();
        // A size of 2^32 - 1 stands for the library's default.
        return count == 0xFFFF_FFFFL ? new byte[0] : message.bytes((int) Math.min(count, Integer.MAX_VALUE));
    }

    /**
     * Returns {@code count} bytes of elements with this value.
     *
     * @throws UnsupportedHdf5Exception when the heap is too small for them
     */
    static byte[] repeated(byte[] element, int count) throws UnsupportedHdf5Exception {
        String refusal = HeapLimit.refusal("a row", count);
        if (!refusal.isEmpty()) {
            throw new UnsupportedHdf5Exception(refusal);
        }
        byte[] filled = new byte[count];
        for (int at = 0; at + element.length <= count && element.length > 0; at += element.length) {
            System.arraycopy(element, 0, filled, at, element.length);
        }
        return filled;
    }
}
