package io.millrace.image.codec;

/**
 * The tables that a JPEG contains. A reused decoder still has the tables of the previous image, and would use them for an image
 * without its own tables.
 */
final class JpegTables {
    private static final int QUANTIZATION = 0xdb;
    private static final int HUFFMAN = 0xc4;
    private static final int PROGRESSIVE = 0xc2;

    private int quantization;
    private int huffman;
    private int needed;
    private int frame;

    void begin() {
        quantization = 0;
        huffman = 0;
        needed = 0;
        frame = 0;
    }

    /** Records the tables of a segment; {@code at} is the offset of its marker. The segment must lie within the file. */
    void segment(HeaderBytes bytes, int at, int marker, int length) throws MalformedImageException {
        int end = at + 2 + length;
        int next = at + 4;
        if (marker == QUANTIZATION) {
            while (next < end) {
                int table = bytes.u8(next, "a table");
                quantization |= 1 << (table & 15);
                next += 1 + (table >> 4 == 0 ? 64 : 128);
            }
        } else if (marker == HUFFMAN) {
            while (next + 17 <= end) {
                int table = bytes.u8(next, "a table");
                huffman |= 1 << (table & 31);
                int codes = 0;
                for (int i = 1; i <= 16; i++) {
                    codes += bytes.u8(next + i, "a table");
                }
                next += 17 + codes;
            }
        } else if (JpegHeader.isFrame(marker)) {
            frame = marker;
            for (next = at + 12; next < end; next += 3) {
                needed |= 1 << (bytes.u8(next, "the frame header") & 15);
            }
        }
    }

    /**
     * Returns whether all tables that the scan at offset {@code at} needs have been recorded. A scan of a progressive JPEG needs
     * tables for either DC or AC coefficients, and a refinement of DC coefficients none (ITU-T T.81, G.1.2).
     */
    boolean suffice(HeaderBytes bytes, int at, int length) throws MalformedImageException {
        int end = at + 2 + length - 3;
        boolean progressive = frame == PROGRESSIVE;
        boolean dc = !progressive
                || (bytes.u8(end, "a scan's header") == 0 && bytes.u8(end + 2, "a scan's header") >> 4 == 0);
        boolean ac = !progressive || bytes.u8(end, "a scan's header") > 0;
        for (int next = at + 6; next < end; next += 2) {
            int tables = bytes.u8(next, "a scan's header");
            boolean all = (!dc || (huffman & (1 << ((tables >> 4) & 15))) != 0)
                    && (!ac || (huffman & (1 << (16 + (tables & 15)))) != 0);
            if (!all) {
                return false;
            }
        }
        return (needed & ~quantization) == 0;
    }
}
