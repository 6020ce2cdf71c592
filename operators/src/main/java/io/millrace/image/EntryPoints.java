package io.millrace.image;

import io.millrace.option.ByteSize;
import io.millrace.option.OptionType;

/**
 * The memory for entry points of JPEGs. An entry point is a place within the entropy-coded data from which a decoder can begin:
 * its position and three sums, in ten bytes. The first decode of a file keeps the entry points that it passes. Later decodes of
 * a file with the same content jump to the part that they need. The pixels are the same. The files of a process share the
 * memory, which is not part of the Java heap.
 *
 * @param limit the most bytes; 0 for no entry points. The largest limit that any decoder of the process was created with counts
 */
public record EntryPoints(ByteSize limit) {
    /** No entry points. */
    public static final EntryPoints OFF = new EntryPoints(new ByteSize(0));

    /** The default, which is enough for a quarter of a million photos of 500x375. */
    public static final EntryPoints DEFAULT = new EntryPoints(new ByteSize(256_000_000));

    private static final String OFF_NAME = "off";

    /** The type of a limit: a size, or {@code off}. */
    public static final OptionType<EntryPoints> TYPE =
            OptionType.of(OptionType.BYTES.name() + ", or off", EntryPoints::parse);

    private static final Object LOCK = new Object();
    private static long largest;

    private static EntryPoints parse(Object raw) {
        try {
            return raw.equals(OFF_NAME) ? OFF : new EntryPoints(ByteSize.TYPE.parse(raw));
        } catch (IllegalArgumentException e) {
            IllegalArgumentException expected = OptionType.expected("a number of bytes such as 256MB, or off", raw);
            expected.initCause(e);
            throw expected;
        }
    }

    @Override
    public String toString() {
        return limit.bytes() == 0 ? OFF_NAME : limit.toString();
    }

    /** Reserves the memory, if this process has not done so. Returns whether entry points are wanted. */
    boolean use() {
        if (limit.bytes() == 0) {
            return false;
        }
        synchronized (LOCK) {
            if (limit.bytes() > largest) {
                largest = limit.bytes();
                NativeCode.limitEntryPoints(largest);
            }
        }
        return true;
    }
}
