package io.millrace.image.codec;

import java.util.Arrays;

/**
 * The coefficients that the scans of a JPEG contain (ITU-T T.81, annex G). libjpeg decodes files whose last scans are missing,
 * and does not report it. Not thread-safe.
 */
final class JpegCoefficients {
    private static final int MOST_COMPONENTS = 4;
    /** The coefficients from which libjpeg decides whether it smooths the blocks of an unfinished image. */
    private static final long SMOOTHED = 0x3fe;

    private final int[] ids = new int[MOST_COMPONENTS];
    /** A bit for each coefficient whose upper bits a scan contains, and for each whose lowest bit a scan contains, too. */
    private final long[] known = new long[MOST_COMPONENTS];

    private final long[] exact = new long[MOST_COMPONENTS];
    private int components;
    private boolean progressive;

    void begin() {
        components = 0;
    }

    /** Reads the frame header at offset {@code at}. */
    void frame(HeaderBytes bytes, int at) throws MalformedImageException {
        int marker = bytes.u8(at + 1L, "a marker");
        progressive = marker == 0xc2 || marker == 0xca;
        components = Math.min(bytes.u8(at + 9L, "the number of components"), MOST_COMPONENTS);
        for (int i = 0; i < components; i++) {
            ids[i] = bytes.u8(at + 10 + 3L * i, "a component");
        }
        Arrays.fill(known, 0);
        Arrays.fill(exact, 0);
    }

    /** Reads the header of the scan at offset {@code at}. */
    void scan(HeaderBytes bytes, int at) throws MalformedImageException {
        int count = bytes.u8(at + 4L, "a scan's components");
        long end = at + 5 + 2L * count;
        int first = progressive ? bytes.u8(end, "a scan's coefficients") & 63 : 0;
        int last = progressive ? bytes.u8(end + 1, "a scan's coefficients") & 63 : 63;
        int bits = progressive ? bytes.u8(end + 2, "a scan's bits") : 0;
        boolean refined = bits >> 4 != 0;
        boolean lowest = (bits & 15) == 0;
        long coefficients = first > last ? 0 : -1L >>> (63 - last + first) << first;
        int used = 0;
        for (int i = 0; i < count; i++) {
            int id = bytes.u8(at + 5 + 2L * i, "a scan's component");
            for (int component = 0; component < components; component++) {
                if (ids[component] == id && (used & (1 << component)) == 0) {
                    used |= 1 << component;
                    known[component] |= refined ? 0 : coefficients;
                    exact[component] |= lowest ? coefficients & known[component] : 0;
                    break;
                }
            }
        }
    }

    /**
     * Requires that each component has a scan with its DC coefficients, and that an image of four components is finished as
     * far as a decoder would smooth it. Decoders smooth in different ways, and the one of such images is that of the JDK.
     *
     * @param at the offset of the end of the image
     */
    void requireComponents(int at) throws MalformedImageException {
        for (int component = 0; component < components; component++) {
            if ((known[component] & 1) == 0) {
                throw new MalformedImageException(
                        at,
                        "corrupt JPEG: expected a scan of each of the " + components
                                + " components, found none of component " + ids[component]);
            }
            if (components == MOST_COMPONENTS && (exact[component] & SMOOTHED) != SMOOTHED) {
                throw new MalformedImageException(
                        at,
                        "truncated JPEG: expected all scans of a progressive CMYK image, found the end of the image in front"
                                + " of the last ones");
            }
        }
    }
}
