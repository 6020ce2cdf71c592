package io.millrace.image.codec;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A Huffman table of a JPEG with which DC values are written (ITU-T T.81, annex C and F.1.2.1). */
final class DcCodes {
    /** The numbers of bits that a value can have, 0 included. */
    static final int SIZES = 16;

    private static final int LONGEST = 16;

    /** The number of codes of each length, and the size that each code stands for. */
    private final int[] counts;

    private final int[] sizes;

    /** The code of each size, and its bits; 0 bits for no code. */
    private final int[] codes = new int[SIZES];

    private final int[] lengths = new int[SIZES];

    private DcCodes(int[] counts, int[] sizes) {
        this.counts = counts;
        this.sizes = sizes;
        int code = 0;
        int index = 0;
        for (int length = 1; length <= LONGEST; length++, code <<= 1) {
            for (int i = 0; i < counts[length]; i++, index++, code++) {
                if (sizes[index] < SIZES) {
                    codes[sizes[index]] = code;
                    lengths[sizes[index]] = length;
                }
            }
        }
    }

    /** Reads a table of a DHT segment, whose counts begin at offset {@code at}. */
    static DcCodes read(HeaderBytes bytes, long at) throws MalformedImageException {
        int[] counts = new int[LONGEST + 1];
        for (int length = 1; length <= LONGEST; length++) {
            counts[length] = bytes.u8(at + length - 1, "a Huffman table");
        }
        int[] sizes = new int[HuffmanCodes.symbols(bytes, at)];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = bytes.u8(at + LONGEST + i, "a Huffman table");
        }
        return new DcCodes(counts, sizes);
    }

    /** The sizes below a node of the tree, as bits. The bit {@link #SIZES} stands for the code of ones, which no size may have. */
    private record Node(long count, int sizes) {}

    /** Returns the shortest codes for values of which {@code counts} are the numbers by size. */
    static DcCodes of(long[] counts) {
        List<Node> nodes = new ArrayList<>(List.of(new Node(0, 1 << SIZES)));
        for (int size = 0; size < SIZES; size++) {
            if (counts[size] > 0) {
                nodes.add(new Node(counts[size], 1 << size));
            }
        }
        // Seventeen leaves at most, so no code is longer than 16 bits.
        int[] length = new int[SIZES + 1];
        while (nodes.size() > 1) {
            nodes.sort(Comparator.comparingLong(Node::count).thenComparing(Node::sizes, Comparator.reverseOrder()));
            Node one = nodes.remove(0);
            Node two = nodes.remove(0);
            Node both = new Node(one.count + two.count, one.sizes | two.sizes);
            for (int size = 0; size <= SIZES; size++) {
                length[size] += (both.sizes >> size) & 1;
            }
            nodes.add(both);
        }
        int[] codesOfLength = new int[LONGEST + 1];
        List<Integer> order = new ArrayList<>();
        for (int bits = 1; bits <= LONGEST; bits++) {
            for (int size = 0; size < SIZES; size++) {
                if (length[size] == bits) {
                    codesOfLength[bits]++;
                    order.add(size);
                }
            }
        }
        return new DcCodes(
                codesOfLength, order.stream().mapToInt(Integer::intValue).toArray());
    }

    /** Returns the number of bits of a value. */
    static int size(int value) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(Math.abs(value));
    }

    /** Writes a value. Returns false, and writes nothing, if there is no code for its size. */
    boolean write(int value, CodedBytes out) {
        int size = size(value);
        if (lengths[size] == 0) {
            return false;
        }
        out.put(codes[size], lengths[size]);
        out.put((value < 0 ? value - 1 : value) & ((1L << size) - 1), size);
        return true;
    }

    /** Returns a DHT segment that defines DC table {@code table}. */
    byte[] segment(int table) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {-1, (byte) 0xc4, 0, (byte) (3 + LONGEST + sizes.length), (byte) table});
        for (int length = 1; length <= LONGEST; length++) {
            out.write(counts[length]);
        }
        for (int size : sizes) {
            out.write(size);
        }
        return out.toByteArray();
    }
}
