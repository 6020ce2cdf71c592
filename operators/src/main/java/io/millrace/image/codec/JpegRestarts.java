package io.millrace.image.codec;

import java.io.ByteArrayOutputStream;

/**
 * The restart markers of JPEGs (ITU-T T.81, F.1.1.5): every so many coded units, the entropy-coded data begin anew at a byte of
 * their own, so that a decoder can jump there. Not thread-safe.
 *
 * <p>{@link #recode} adds them without loss: it copies the codes of all coefficients, and writes only the first DC value of
 * each component of an interval anew. All other segments, and bytes behind the image, stay as they are.
 */
public final class JpegRestarts {
    /** The largest interval that the format can express. */
    public static final int MOST_UNITS = 65_535;

    private static final int HUFFMAN = 0xc4;
    private static final int SCAN = 0xda;
    private static final int INTERVAL = 0xdd;

    private final JpegStructure structure = new JpegStructure(JpegStructure::nextEscape);

    /** What {@link #recode} did. */
    public enum Change {
        /** The file has restart markers at the interval now, and had none or others before. */
        ADDED,
        /** The file had restart markers at the interval. */
        PRESENT,
        /** The file is not a sequential Huffman JPEG of 8 bits with one scan, or it is damaged. */
        LEFT
    }

    /** The result of {@link #recode}. */
    public static final class Recoded {
        private final Change change;
        private final byte[] bytes;

        private Recoded(Change change, byte[] bytes) {
            this.change = change;
            this.bytes = bytes;
        }

        public Change change() {
            return change;
        }

        /** Returns the file: a new one if it was changed, and the given one otherwise. Not a copy. */
        public byte[] bytes() {
            return bytes;
        }
    }

    /**
     * Returns the restart interval that the header of a JPEG states, in coded units; 0 for none.
     *
     * @throws MalformedImageException when the segments before the first scan are damaged
     */
    public static int interval(byte[] jpeg) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(jpeg, "JPEG");
        int interval = 0;
        int at = 2;
        while (true) {
            at = JpegMarkers.nextInHeader(bytes, at);
            int marker = bytes.u8(at + 1, "a marker");
            if (marker == SCAN) {
                return interval;
            }
            if (marker == INTERVAL) {
                interval = bytes.u16Big(at + 4, "the restart interval");
            }
            at += 2 + JpegMarkers.length(bytes, at);
        }
    }

    /**
     * Writes a restart marker every {@code interval} coded units, and removes others. The pixels stay the same.
     *
     * @param file an encoded image of any kind
     * @param interval 1 to {@link #MOST_UNITS}
     */
    public Recoded recode(byte[] file, int interval) {
        try {
            if (ImageFormat.of(file) != ImageFormat.JPEG
                    || ImageHeader.parse(file).bitDepth() != 8
                    || !structure.check(file)) {
                return new Recoded(Change.LEFT, file);
            }
            byte[] changed = changed(new HeaderBytes(file, "JPEG"), file, interval); // finds damage
            return interval(file) == interval ? new Recoded(Change.PRESENT, file) : new Recoded(Change.ADDED, changed);
        } catch (MalformedImageException e) {
            // The stage that decodes the file reports the damage if it finds it.
            return new Recoded(Change.LEFT, file);
        }
    }

    /** Returns the file with other restart markers. The file has passed the check. */
    private static byte[] changed(HeaderBytes bytes, byte[] file, int interval) throws MalformedImageException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(file.length + file.length / 64 + 64);
        out.write(file, 0, 2);
        RestartScan scan = new RestartScan(file, interval);
        int at = 2;
        while (true) {
            at = JpegMarkers.nextInHeader(bytes, at);
            int marker = bytes.u8(at + 1, "a marker");
            int length = JpegMarkers.length(bytes, at);
            if (marker == HUFFMAN) {
                scan.codes(bytes, at + 4, at + 2 + length);
            } else if (marker == INTERVAL) {
                scan.oldInterval(bytes.u16Big(at + 4, "the restart interval"));
            } else if (JpegHeader.isFrame(marker)) {
                scan.frame(bytes, at);
            } else if (marker == SCAN) {
                int from = at + 2 + length;
                byte[] data = scan.data(bytes, at, from);
                scan.writeTables(out);
                out.writeBytes(new byte[] {-1, (byte) INTERVAL, 0, 4, (byte) (interval >> 8), (byte) interval});
                out.write(file, at, from - at);
                out.writeBytes(data);
                out.write(file, scan.end(), file.length - scan.end());
                return out.toByteArray();
            }
            if (marker != INTERVAL) {
                out.write(file, at, 2 + length);
            }
            at += 2 + length;
        }
    }
}
