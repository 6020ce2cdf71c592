package io.millrace.image.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A check of the entropy-coded data of a sequential Huffman JPEG (ITU-T T.81, annex F). It walks over the data code by code,
 * and detects when codes and image do not end together. It is cheap because it keeps no values and transforms nothing.
 *
 * <p>Not thread-safe. One object checks one image after another: call {@link #begin} for each image, {@link #tables} and
 * {@link #scan} for its segments, {@link #append} and {@link #endInterval} for its data.
 */
final class JpegEntropy {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /**
     * The largest accepted DC coefficient. For 8-bit samples it lies in [-1024, 1016]; the limit is 1.5 times as large, for
     * encoders that overshoot. After damage, the sum of differences drifts, and often leaves this range although all codes are
     * valid.
     */
    private static final int LARGEST_DC = 1536;

    /** The largest number of blocks of an MCU, by the standard. */
    private static final int MOST_BLOCKS = 10;

    /** The number of zeros after the data. One MCU has fewer bytes: 10 blocks of 64 codes of 31 bits. */
    private static final int SLACK_BYTES = 4096;

    private final @Nullable HuffmanCodes[] dc = new HuffmanCodes[4];
    private final @Nullable HuffmanCodes[] ac = new HuffmanCodes[4];
    private byte[] data = new byte[0];
    private int length;
    private boolean active;
    private int restartInterval;
    private long remainingUnits;
    private HuffmanCodes[] blockDc = new HuffmanCodes[0];
    private HuffmanCodes[] blockAc = new HuffmanCodes[0];

    private int[] blockComponent = new int[0];

    private final int[] firstQuantum = new int[4];
    private int width;
    private int height;
    private int[] dcLimit = new int[0];
    private int[] quantumTable = new int[0];
    private int[] componentIds = new int[0];
    private int[] across = new int[0];
    private int[] down = new int[0];

    void begin(int encodedBytes) {
        active = false;
        restartInterval = 0;
        Arrays.fill(dc, null);
        Arrays.fill(ac, null);
        Arrays.fill(firstQuantum, 0);
        if (data.length < encodedBytes + SLACK_BYTES) {
            data = new byte[encodedBytes + SLACK_BYTES];
        }
    }

    /** Reads a segment before or between the scans; {@code at} is the offset of its marker. */
    void tables(HeaderBytes bytes, int at, int marker, int segmentBytes) throws MalformedImageException {
        if (marker == 0xc4) {
            long table = at + 4L;
            while (table < at + 2L + segmentBytes) {
                int kind = bytes.u8(table, "a Huffman table");
                HuffmanCodes.Kind coefficients = kind >> 4 == 0 ? HuffmanCodes.Kind.DC : HuffmanCodes.Kind.AC;
                (kind >> 4 == 0 ? dc : ac)[kind & 3] = HuffmanCodes.read(bytes, table + 1, coefficients);
                table += 17 + HuffmanCodes.symbols(bytes, table + 1);
            }
        } else if (marker == 0xdb) {
            quanta(bytes, at + 4L, at + 2L + segmentBytes);
        } else if (marker == 0xdd) {
            restartInterval = bytes.u16Big(at + 4, "the restart interval");
        } else if (JpegHeader.isFrame(marker)) {
            active = marker <= 0xc1;
            height = bytes.u16Big(at + 5, "height");
            width = bytes.u16Big(at + 7, "width");
            int count = bytes.u8(at + 9, "the number of components");
            componentIds = new int[count];
            across = new int[count];
            down = new int[count];
            dcLimit = new int[count];
            quantumTable = new int[count];
            for (int i = 0; i < count; i++) {
                componentIds[i] = bytes.u8(at + 10 + 3L * i, "a component");
                int sampling = bytes.u8(at + 11 + 3L * i, "a component");
                across[i] = sampling >> 4;
                down[i] = sampling & 15;
                quantumTable[i] = bytes.u8(at + 12 + 3L * i, "a component") & 3;
                if (across[i] < 1 || across[i] > 4 || down[i] < 1 || down[i] > 4) {
                    throw new MalformedImageException(
                            at, String.format("corrupt JPEG: expected sampling factors 1 to 4, found %02x", sampling));
                }
            }
        }
    }

    /** Keeps the first value of each quantization table, which belongs to the DC coefficient. */
    private void quanta(HeaderBytes bytes, long from, long to) throws MalformedImageException {
        for (long at = from; at < to; ) {
            int kind = bytes.u8(at, "a quantization table");
            boolean wide = kind >> 4 != 0;
            firstQuantum[kind & 3] =
                    wide ? bytes.u16Big(at + 1, "a quantization table") : bytes.u8(at + 1, "a quantization table");
            at += wide ? 129 : 65;
        }
    }

    /** Begins a scan; {@code at} is the offset of its marker. */
    void scan(HeaderBytes bytes, int at) throws MalformedImageException {
        length = 0;
        if (!active) {
            return;
        }
        int count = bytes.u8(at + 4, "a scan's components");
        int widest = Arrays.stream(across).max().orElse(1);
        int highest = Arrays.stream(down).max().orElse(1);
        for (int i = 0; i < quantumTable.length; i++) {
            int quantum = Math.max(firstQuantum[quantumTable[i]], 1); // its table may follow the frame
            dcLimit[i] = (LARGEST_DC + quantum) / quantum;
        }
        int blocks = 0;
        HuffmanCodes[] dcOfBlock = new HuffmanCodes[MOST_BLOCKS];
        HuffmanCodes[] acOfBlock = new HuffmanCodes[MOST_BLOCKS];
        int[] componentOfBlock = new int[MOST_BLOCKS];
        for (int i = 0; i < count; i++) {
            int component = component(bytes, at + 5 + 2L * i, i);
            int selectors = bytes.u8(at + 6 + 2L * i, "a scan's tables");
            int own = count == 1 ? 1 : across[component] * down[component];
            if (blocks + own > MOST_BLOCKS) {
                throw new MalformedImageException(
                        at, "corrupt JPEG: expected at most 10 blocks in a coded unit, found " + (blocks + own));
            }
            for (int block = 0; block < own; block++, blocks++) {
                dcOfBlock[blocks] = table(dc, selectors >> 4, at);
                componentOfBlock[blocks] = component;
                acOfBlock[blocks] = table(ac, selectors & 15, at);
            }
            if (count == 1) {
                remainingUnits = units(width, across[component], widest) * units(height, down[component], highest);
            }
        }
        if (count > 1) {
            remainingUnits = units(width, 1, widest) * units(height, 1, highest);
        }
        blockDc = Arrays.copyOf(dcOfBlock, blocks);
        blockAc = Arrays.copyOf(acOfBlock, blocks);
        blockComponent = Arrays.copyOf(componentOfBlock, blocks);
    }

    /**
     * Returns the number of blocks of a component along an axis. If {@code own} is 1, the result is the number of MCUs of an
     * interleaved scan.
     */
    private static long units(int extent, int own, int most) {
        long samples = ((long) extent * own + most - 1) / most;
        return (samples + 7) / 8;
    }

    /** Returns the component of the frame that is the {@code place}th one of a scan. Several may have the same number. */
    private int component(HeaderBytes bytes, long at, int place) throws MalformedImageException {
        int id = bytes.u8(at, "a scan's component");
        if (place < componentIds.length && componentIds[place] == id) {
            return place;
        }
        for (int i = 0; i < componentIds.length; i++) {
            if (componentIds[i] == id) {
                return i;
            }
        }
        throw new MalformedImageException(
                at, "corrupt JPEG: expected a component of the frame in its scan, found " + id);
    }

    private HuffmanCodes table(@Nullable HuffmanCodes[] tables, int selector, int at) throws MalformedImageException {
        HuffmanCodes table = tables[selector & 3];
        if (table == null) {
            table = HuffmanCodes.standard(tables == dc ? HuffmanCodes.Kind.DC : HuffmanCodes.Kind.AC, selector & 3);
        }
        if (table == null) {
            throw new MalformedImageException(
                    at,
                    "corrupt JPEG: expected Huffman table " + selector + " before the scan that uses it, found none");
        }
        return table;
    }

    /** Adds data of the current restart interval, without stuffed zeros. */
    void append(byte[] encoded, int from, int to) {
        if (active) {
            System.arraycopy(encoded, from, data, length, to - from);
            length += to - from;
        }
    }

    /**
     * Walks over the data of the current restart interval, and ends the interval.
     *
     * @param at the offset in the file at which the interval ends, for messages
     * @param last whether the whole scan ends here
     */
    void endInterval(int at, boolean last) throws MalformedImageException {
        if (!active) {
            return;
        }
        long expected = restartInterval == 0 ? remainingUnits : Math.min(restartInterval, remainingUnits);
        Arrays.fill(data, length, length + SLACK_BYTES, (byte) 0);
        walk(expected, at);
        remainingUnits -= expected;
        length = 0;
        if (last && remainingUnits > 0) {
            throw new MalformedImageException(
                    at,
                    "corrupt JPEG: expected a restart marker before the last " + remainingUnits
                            + " coded units, found the end of the scan");
        }
        if (!last && remainingUnits == 0) {
            throw new MalformedImageException(
                    at, "corrupt JPEG: expected the end of the scan, found a restart marker after the whole image");
        }
    }

    private void walk(long units, int at) throws MalformedImageException {
        long bits = 0;
        int available = 0;
        int next = 0;
        long endBits = (long) length * Byte.SIZE;
        int[] sums = new int[dcLimit.length];
        for (long unit = 0; unit < units; unit++) {
            for (int block = 0; block < blockDc.length; block++) {
                if (available < 32) {
                    bits |= (long) LONGS.get(data, next) >>> available;
                    next += (Long.SIZE - 1 - available) >>> 3;
                    available |= 56;
                }
                int entry = blockDc[block].entry(bits);
                int size = entry >>> HuffmanCodes.COEFFICIENTS_SHIFT;
                int used = entry & HuffmanCodes.BITS_MASK;
                int component = blockComponent[block];
                sums[component] += difference(bits, used, size);
                if (entry == 0 || Math.abs(sums[component]) > dcLimit[component]) {
                    throw damaged(at, units, unit, entry == 0 ? "an unknown code" : "a value out of range");
                }
                bits <<= used;
                available -= used;
                HuffmanCodes codes = blockAc[block];
                int coefficient = 1;
                while (coefficient < 64) {
                    // These bits are nearly always enough for two codes. A branch for each code would be mispredicted
                    // one time in five.
                    bits |= (long) LONGS.get(data, next) >>> available;
                    next += (Long.SIZE - 1 - available) >>> 3;
                    available |= 56;
                    entry = codes.entry(bits);
                    used = entry & HuffmanCodes.BITS_MASK;
                    bits <<= used;
                    available -= used;
                    coefficient += entry >>> HuffmanCodes.COEFFICIENTS_SHIFT;
                    if (coefficient < 64 && available >= 32 && entry != 0) {
                        entry = codes.entry(bits);
                        used = entry & HuffmanCodes.BITS_MASK;
                        bits <<= used;
                        available -= used;
                        coefficient += entry >>> HuffmanCodes.COEFFICIENTS_SHIFT;
                    }
                    if (entry == 0) {
                        throw damaged(at, units, unit, "an unknown code");
                    }
                }
                if (coefficient > 64 && coefficient < HuffmanCodes.END_OF_BLOCK) {
                    throw damaged(at, units, unit, "a block of more than 64 coefficients");
                }
            }
            if ((long) next * Byte.SIZE - available > endBits) {
                throw damaged(at, units, unit, "the end of the data");
            }
        }
        int walked = (int) (((long) next * Byte.SIZE - available + Byte.SIZE - 1) >>> 3);
        for (int i = walked; i < length; i++) {
            // Some cameras write zeros after the image as padding.
            if (data[i] != 0) {
                throw damaged(at, units, units, (length - walked) + " bytes of data");
            }
        }
    }

    /** Returns the value in the last {@code size} of the first {@code used} bits (T.81, F.2.2.1). */
    private static int difference(long bits, int used, int size) {
        if (size == 0) {
            return 0;
        }
        int value = (int) ((bits << (used - size)) >>> (Long.SIZE - size));
        return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
    }

    private static MalformedImageException damaged(int at, long units, long unit, String found) {
        return new MalformedImageException(
                at,
                "corrupt JPEG: expected " + units + " coded units before offset " + at + ", found " + found + " after "
                        + unit);
    }
}
