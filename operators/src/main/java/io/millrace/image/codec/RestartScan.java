package io.millrace.image.codec;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entropy-coded data of one JPEG, written again with other restart markers. The JPEG has passed {@link JpegStructure}'s
 * check. Data that are damaged are refused: those with unknown codes, with values out of range, and those that have another number
 * of coded units than the image.
 *
 * <p>The codes of a table may lack the larger values that the first DC values of intervals have. Then the DC tables are replaced
 * by tables made for the new data, and all DC values are written anew.
 *
 * <p>Tested by {@code JpegRestartsTest}.
 */
final class RestartScan {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The bits that are read at once, from any bit on: a code of 16 bits and a value of 15 bits, or a part of a copy. */
    private static final int MOST_BITS = 32;

    private static final int MOST_COMPONENTS = 4;

    /** The largest factor of a component's sampling, and the largest number of blocks of a coded unit, by the standard. */
    private static final int MOST_SAMPLING = 4;

    private static final int MOST_BLOCKS = 10;

    /** The number of coefficients of a block. */
    private static final int BLOCK = 64;

    /** The largest DC value. For samples of 8 bits it lies between -1024 and 1016; the limit allows for encoders that overshoot. */
    private static final int LARGEST_DC = 1536;

    private final byte[] file;
    private final int interval;
    private final @Nullable HuffmanCodes[] dcCodes = new HuffmanCodes[4];
    private final @Nullable HuffmanCodes[] acCodes = new HuffmanCodes[4];
    private final @Nullable DcCodes[] encoders = new DcCodes[4];
    private final long[][] counts = new long[4][DcCodes.SIZES];
    private boolean replaced;
    private int oldInterval;
    private int frameAt;

    /** The data without stuffed zeros and markers, and with zeros behind them. */
    private byte[] data = new byte[0];

    /** The byte in {@link #data} at which each of the old intervals begins. */
    private final List<Integer> begins = new ArrayList<>();

    private int end;

    /** The number of bytes of {@link #data} without the zeros behind them. */
    private int length;

    /** The blocks of a coded unit. */
    private final List<Block> blocks = new ArrayList<>();

    private record Block(int component, boolean first, int table, HuffmanCodes dc, HuffmanCodes ac) {}

    RestartScan(byte[] file, int interval) {
        this.file = file;
        this.interval = interval;
    }

    /** Reads the tables of a segment. */
    void codes(HeaderBytes bytes, int from, int to) throws MalformedImageException {
        for (int at = from; at < to; ) {
            int kind = bytes.u8(at, "a Huffman table");
            if (kind >> 4 == 0) {
                dcCodes[kind & 3] = HuffmanCodes.read(bytes, at + 1, HuffmanCodes.Kind.DC);
                encoders[kind & 3] = DcCodes.read(bytes, at + 1);
            } else {
                acCodes[kind & 3] = HuffmanCodes.read(bytes, at + 1, HuffmanCodes.Kind.AC);
            }
            at += 17 + HuffmanCodes.symbols(bytes, at + 1);
        }
    }

    void oldInterval(int units) {
        oldInterval = units;
    }

    /** Sets the offset of the frame header. */
    void frame(HeaderBytes bytes, int at) throws MalformedImageException {
        bytes.require(at, 10 + 3L * bytes.u8(at + 9, "the number of components"), "the frame header");
        frameAt = at;
    }

    /** Returns the offset of the marker behind the data. */
    int end() {
        return end;
    }

    /**
     * Returns the new data.
     *
     * @param at the offset of the scan's marker
     * @param from the offset of the old data
     * @throws MalformedImageException when the old data are damaged
     */
    byte[] data(HeaderBytes bytes, int at, int from) throws MalformedImageException {
        readData(from);
        long units = readScan(bytes, at);
        byte @Nullable [] written = write(units);
        if (written == null) {
            replaced = true;
            for (int table = 0; table < encoders.length; table++) {
                encoders[table] = encoders[table] == null ? null : DcCodes.of(counts[table]);
            }
            written = write(units);
        }
        if (written == null) {
            throw new IllegalStateException("a table for all values lacks one");
        }
        return written;
    }

    /** Writes the tables that replace those of the file. */
    void writeTables(ByteArrayOutputStream out) {
        for (int table = 0; replaced && table < encoders.length; table++) {
            DcCodes encoder = encoders[table];
            if (encoder != null && Arrays.stream(counts[table]).sum() > 0) {
                out.writeBytes(encoder.segment(table));
            }
        }
    }

    private void readData(int from) {
        data = new byte[file.length - from + MOST_BITS];
        begins.add(0);
        length = 0;
        for (int at = from; ; at++) {
            data[length++] = file[at];
            if (file[at] == -1) {
                int code = file[at + 1] & 255;
                if (code == 0) {
                    at++;
                } else if (code >= 0xd0 && code <= 0xd7) {
                    begins.add(--length);
                    at++;
                } else if (code == 0xff) {
                    length--;
                } else {
                    data[--length] = 0;
                    end = at;
                    if (begins.size() > 1 && begins.get(begins.size() - 1) == length) {
                        begins.remove(begins.size() - 1); // some encoders write a marker behind the last interval too
                    }
                    return;
                }
            }
        }
    }

    /** Sets the blocks of a coded unit, and returns the number of units. */
    private long readScan(HeaderBytes bytes, int at) throws MalformedImageException {
        int height = bytes.u16Big(frameAt + 5, "height");
        int width = bytes.u16Big(frameAt + 7, "width");
        int components = bytes.u8(frameAt + 9, "the number of components");
        int widest = 1;
        int highest = 1;
        for (int i = 0; i < components; i++) {
            widest = Math.max(widest, bytes.u8(frameAt + 11 + 3L * i, "sampling") >> 4);
            highest = Math.max(highest, bytes.u8(frameAt + 11 + 3L * i, "sampling") & 15);
        }
        int count = bytes.u8(at + 4, "a scan's components");
        if (count != components || count > MOST_COMPONENTS) {
            throw new MalformedImageException(
                    at, "expected a scan of all " + components + " components, at most 4, found " + count);
        }
        for (int i = 0; i < count; i++) {
            int tables = bytes.u8(at + 6 + 2L * i, "a scan's tables");
            int sampling = sampling(bytes, components, bytes.u8(at + 5 + 2L * i, "a component"));
            int own = count == 1 ? 1 : (sampling >> 4) * (sampling & 15);
            if (blocks.size() + own > MOST_BLOCKS) {
                throw new MalformedImageException(
                        at, "corrupt JPEG: expected at most 10 blocks in a coded unit, found " + (blocks.size() + own));
            }
            HuffmanCodes dc = known(dcCodes[(tables >> 4) & 3], at);
            HuffmanCodes ac = known(acCodes[tables & 3], at);
            for (int block = 0; block < own; block++) {
                blocks.add(new Block(i, block == 0, (tables >> 4) & 3, dc, ac));
            }
        }
        // A scan of one component has one block in a unit, whatever the sampling factors are.
        long unitWidth = count == 1 ? 8 : 8L * widest;
        long unitHeight = count == 1 ? 8 : 8L * highest;
        return (width + unitWidth - 1) / unitWidth * ((height + unitHeight - 1) / unitHeight);
    }

    private int sampling(HeaderBytes bytes, int components, int id) throws MalformedImageException {
        for (int i = 0; i < components; i++) {
            if (bytes.u8(frameAt + 10 + 3L * i, "a component") == id) {
                int sampling = bytes.u8(frameAt + 11 + 3L * i, "sampling");
                int across = sampling >> 4;
                int down = sampling & 15;
                if (across < 1 || across > MOST_SAMPLING || down < 1 || down > MOST_SAMPLING) {
                    throw new MalformedImageException(
                            frameAt,
                            String.format("corrupt JPEG: expected sampling factors 1 to 4, found %02x", sampling));
                }
                return sampling;
            }
        }
        throw new MalformedImageException(frameAt, "expected component " + id + " in the frame, found none");
    }

    private static HuffmanCodes known(@Nullable HuffmanCodes codes, int at) throws MalformedImageException {
        if (codes == null) {
            throw new MalformedImageException(at, "expected the Huffman tables of a scan before it, found none");
        }
        return codes;
    }

    /** Writes all units, and counts the DC values by their sizes. Returns null when a table has no code for one of them. */
    private byte @Nullable [] write(long units) throws MalformedImageException {
        CodedBytes out = new CodedBytes(data.length + data.length / 64);
        Arrays.stream(counts).forEach(table -> Arrays.fill(table, 0));
        int[] read = new int[MOST_COMPONENTS];
        int[] written = new int[MOST_COMPONENTS];
        boolean complete = true;
        long at = 0;
        long copied = 0;
        int oldBegins = 0;
        int restarts = 0;
        for (long unit = 0; unit < units; unit++) {
            boolean starts = unit % interval == 0;
            boolean began = oldInterval > 0 && unit % oldInterval == 0;
            if (unit > 0 && (starts || began)) {
                copy(copied, at, out);
                copied = at;
            }
            if (unit > 0 && began) {
                requireEnd(at, oldBegins);
                if (oldBegins == begins.size() - 1) {
                    throw damaged(at, "the end of the scan");
                }
                at = copied = 8L * begins.get(++oldBegins);
                Arrays.fill(read, 0);
            }
            if (unit > 0 && starts) {
                out.restart(restarts++);
                Arrays.fill(written, 0);
            }
            for (Block block : blocks) {
                long bits = bits(at);
                int entry = known(block.dc.entry(bits), at);
                int component = block.component;
                long next = at + (entry & HuffmanCodes.BITS_MASK);
                read[component] += difference(bits, entry);
                if (Math.abs(read[component]) > LARGEST_DC) {
                    throw damaged(at, "a value out of range");
                }
                int difference = read[component] - written[component];
                written[component] = read[component];
                counts[block.table][DcCodes.size(difference)]++;
                if (replaced || (block.first && (starts || began))) {
                    copy(copied, at, out);
                    DcCodes encoder = encoders[block.table];
                    complete &= encoder != null && encoder.write(difference, out);
                    copied = next;
                }
                at = next;
                int coefficient = 1;
                while (coefficient < BLOCK) {
                    entry = known(block.ac.entry(bits(at)), at);
                    at += entry & HuffmanCodes.BITS_MASK;
                    coefficient += entry >>> HuffmanCodes.COEFFICIENTS_SHIFT;
                }
                if (coefficient > BLOCK && coefficient < HuffmanCodes.END_OF_BLOCK) {
                    throw damaged(at, "a block of more than 64 coefficients");
                }
            }
        }
        copy(copied, at, out);
        requireEnd(at, oldBegins);
        if (oldBegins != begins.size() - 1) {
            throw damaged(at, "a restart marker after the whole image");
        }
        return complete ? out.finish() : null;
    }

    /** Requires that an old interval, which is followed by zeros at most, ends at bit {@code at}. */
    private void requireEnd(long at, int oldInterval) throws MalformedImageException {
        boolean last = oldInterval == begins.size() - 1;
        int to = last ? length : begins.get(oldInterval + 1);
        if (at > 8L * to) {
            throw damaged(at, "the end of the data");
        }
        for (int i = (int) ((at + 7) >>> 3); i < to; i++) {
            if (data[i] != 0) { // some cameras write zeros after the image as padding
                throw damaged(at, "more data");
            }
        }
    }

    /** Returns the entry of a code at bit {@code at}, which exists and lies within the data. */
    private int known(int entry, long at) throws MalformedImageException {
        if (entry == 0 || at >= 8L * length) {
            throw damaged(at, entry == 0 ? "an unknown code" : "the end of the data");
        }
        return entry;
    }

    private static MalformedImageException damaged(long at, String found) {
        return new MalformedImageException(
                -1, "corrupt JPEG: expected a coded unit at bit " + at + " of the entropy-coded data, found " + found);
    }

    /** Returns at least {@link #MOST_BITS} bits from bit {@code at} on, at the upper end of the result. */
    private long bits(long at) {
        return (long) LONGS.get(data, (int) (at >>> 3)) << (at & 7);
    }

    private void copy(long from, long to, CodedBytes out) {
        for (long at = from; at < to; at += MOST_BITS) {
            int count = (int) Math.min(MOST_BITS, to - at);
            out.put(bits(at) >>> (Long.SIZE - count), count);
        }
    }

    /** Returns the value behind a code of a DC table (T.81, F.2.2.1). */
    private static int difference(long bits, int entry) {
        int size = entry >>> HuffmanCodes.COEFFICIENTS_SHIFT;
        if (size == 0) {
            return 0;
        }
        int value = (int) ((bits << ((entry & HuffmanCodes.BITS_MASK) - size)) >>> (Long.SIZE - size));
        return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
    }
}
