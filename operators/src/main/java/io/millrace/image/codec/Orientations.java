package io.millrace.image.codec;

/** A reader of the orientation in an EXIF block, which is a small TIFF file. A damaged block does not make the image bad. */
final class Orientations {
    private static final int TAG = 0x112;
    private static final int ENTRY_BYTES = 12;

    private Orientations() {}

    /** Returns the orientation in the EXIF block from {@code from} to {@code to}, 1 to 8; 1 when there is no valid one. */
    static int read(HeaderBytes bytes, long from, long to) {
        try {
            boolean little = bytes.text(from, 2, "EXIF").equals("II");
            if (!little && !bytes.text(from, 2, "EXIF").equals("MM")) {
                return 1;
            }
            long directory = from + (little ? bytes.u32Little(from + 4, "EXIF") : bytes.u32Big(from + 4, "EXIF"));
            int entries = u16(bytes, directory, little);
            for (int i = 0; i < entries; i++) {
                long entry = directory + 2 + (long) i * ENTRY_BYTES;
                if (entry + ENTRY_BYTES > to) {
                    return 1;
                }
                if (u16(bytes, entry, little) == TAG) {
                    int value = u16(bytes, entry + 8, little);
                    return value >= 1 && value <= 8 ? value : 1;
                }
            }
            return 1;
        } catch (MalformedImageException ignoredAsPillowDoes) {
            return 1;
        }
    }

    private static int u16(HeaderBytes bytes, long at, boolean little) throws MalformedImageException {
        return little ? bytes.u16Little(at, "EXIF") : bytes.u16Big(at, "EXIF");
    }
}
