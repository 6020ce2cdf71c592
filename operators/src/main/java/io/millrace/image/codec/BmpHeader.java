package io.millrace.image.codec;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the header of a Windows bitmap.
 *
 * <p>Tested by {@code ImageDecoderTest} and {@code ImageHeaderTest}.
 */
final class BmpHeader {
    static final int RLE8 = 1;
    static final int RLE4 = 2;

    private static final int BITFIELDS = 3;
    private static final int FILE_HEADER_BYTES = 14;
    /** The size of the first header of OS/2, which has shorter fields than the others. */
    private static final int CORE_HEADER_BYTES = 12;

    private static final int MASKS_AT = FILE_HEADER_BYTES + 40;
    private static final int HEADER_WITH_ALPHA_BYTES = 56;
    /** The headers that Pillow reads. 64 is the second header of OS/2. */
    private static final Set<Long> HEADER_BYTES = Set.of(12L, 40L, 52L, 56L, 64L, 108L, 124L);

    private static final Masks FIVE = new Masks(0x7c00, 0x3e0, 0x1f, 0);
    private static final Masks EIGHT = new Masks(0xff0000, 0xff00, 0xff, 0);
    private static final Masks NO_MASKS = new Masks(0, 0, 0, 0);
    private static final Set<Masks> SIXTEEN_BITS = Set.of(FIVE, new Masks(0xf800, 0x7e0, 0x1f, 0));
    private static final Set<Masks> THIRTY_TWO_BITS = Set.of(
            EIGHT,
            new Masks(0xff000000L, 0xff0000, 0xff00, 0),
            new Masks(0xff000000L, 0xff00, 0xff, 0),
            new Masks(0xff000000L, 0xff0000, 0xff00, 0xff),
            new Masks(0xff, 0xff00, 0xff0000, 0xff000000L),
            new Masks(0xff0000, 0xff00, 0xff, 0xff000000L),
            new Masks(0xff000000L, 0xff00, 0xff, 0xff0000),
            NO_MASKS);

    private BmpHeader() {}

    /** The bits of a stored pixel that hold each channel, as masks; 0 when there is no such channel. */
    record Masks(long red, long green, long blue, long alpha) {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        long headerBytes = bytes.u32Little(FILE_HEADER_BYTES, "the header's size");
        boolean core = isCore(bytes);
        if (HEADER_BYTES.contains(headerBytes)) {
            bytes.require(FILE_HEADER_BYTES, headerBytes, "the header");
        } else {
            bytes.require(FILE_HEADER_BYTES, 12, "the header");
        }
        // A negative height means that the rows are stored from the top.
        long width = core || headerBytes < 16 ? bytes.u16Little(18, "width") : bytes.u32Little(18, "width");
        long height = core || headerBytes < 16
                ? bytes.u16Little(20, "height")
                : Math.abs((long) (int) bytes.u32Little(22, "height"));
        if (!HEADER_BYTES.contains(headerBytes)) {
            return header(width, height, 8).withObstacle("a BMP with a header of " + headerBytes + " bytes");
        }
        int bits = bits(bytes);
        ImageHeader header = header(width, height, bits);
        String obstacle = obstacle(bytes, bits);
        if (obstacle != null) {
            return header.withObstacle(obstacle);
        }
        if (!isRunLengthCoded(bytes)) {
            // The last row may lack its padding.
            long rows = (height - 1) * rowBytes(header.width(), bits) + (width * bits + 7) / 8;
            bytes.require(pixelsAt(bytes), rows, "pixels");
        }
        return header.withConversion();
    }

    private static @Nullable String obstacle(HeaderBytes bytes, int bits) throws MalformedImageException {
        String kind = "a BMP of " + bits + " bits per pixel";
        int method = method(bytes);
        boolean indexed = bits == 1 || bits == 4 || bits == 8;
        if (!indexed && bits != 16 && bits != 24 && bits != 32) {
            return kind;
        }
        if (method == BITFIELDS && !indexed) {
            Masks masks = storedMasks(bytes);
            boolean known =
                    switch (bits) {
                        case 16 -> SIXTEEN_BITS.contains(masks);
                        case 24 -> masks.equals(EIGHT);
                        default -> THIRTY_TWO_BITS.contains(masks);
                    };
            return known ? null : kind + " with unknown masks " + masks;
        }
        if (method != 0 && !(indexed && isRunLengthCoded(bytes))) {
            return kind + ", compressed by method " + method;
        }
        return indexed && bits > 1 && method == 0 && BmpPalette.isBlackAndWhite(bytes)
                ? kind + " with a palette of only black and white, which Pillow reads as 1 bit per pixel"
                : null;
    }

    /** Returns whether the header is the first one of OS/2. It has no compression, and colours of 3 bytes. */
    static boolean isCore(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u32Little(FILE_HEADER_BYTES, "the header's size") == CORE_HEADER_BYTES;
    }

    static int bits(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u16Little(isCore(bytes) ? 24 : 28, "bits per pixel");
    }

    /** Returns the method of compression. The numbers from 3 on have other meanings in OS/2, which Pillow does not read. */
    static int method(HeaderBytes bytes) throws MalformedImageException {
        return isCore(bytes) ? 0 : (int) bytes.u32Little(30, "compression");
    }

    static boolean isRunLengthCoded(HeaderBytes bytes) throws MalformedImageException {
        int method = method(bytes);
        return method == RLE8 || method == RLE4;
    }

    static boolean fromTop(HeaderBytes bytes) throws MalformedImageException {
        return !isCore(bytes) && (int) bytes.u32Little(22, "height") < 0;
    }

    /** Returns the offset behind the header, at which the palette begins. */
    static long paletteAt(HeaderBytes bytes) throws MalformedImageException {
        return FILE_HEADER_BYTES + bytes.u32Little(FILE_HEADER_BYTES, "the header's size");
    }

    /** Returns the offset of the pixels. They follow what precedes them if the file states no offset, or that of the palette. */
    static long pixelsAt(HeaderBytes bytes) throws MalformedImageException {
        long stated = bytes.u32Little(10, "the offset of the pixels");
        long behind = paletteAt(bytes);
        boolean masks = method(bytes) == BITFIELDS && behind == MASKS_AT;
        if (bits(bytes) <= Byte.SIZE) {
            return stated == 0 || stated == behind ? behind + BmpPalette.bytes(bytes) : stated;
        }
        return stated != 0 ? stated : behind + (masks ? 12 : 0);
    }

    /** Returns the size of a stored row in bytes. Rows begin at multiples of 4 bytes. */
    static long rowBytes(int width, int bits) {
        return (((long) width * bits + 31) >> 3) & ~3L;
    }

    /** Returns the masks of pixels of 16, 24 or 32 bits. */
    static Masks masks(HeaderBytes bytes) throws MalformedImageException {
        Masks stored = method(bytes) == BITFIELDS ? storedMasks(bytes) : NO_MASKS;
        return !stored.equals(NO_MASKS) ? stored : bits(bytes) == 16 ? FIVE : EIGHT;
    }

    private static Masks storedMasks(HeaderBytes bytes) throws MalformedImageException {
        boolean alpha = bits(bytes) == 32 && paletteAt(bytes) - FILE_HEADER_BYTES >= HEADER_WITH_ALPHA_BYTES;
        return new Masks(
                bytes.u32Little(MASKS_AT, "masks"),
                bytes.u32Little(MASKS_AT + 4, "masks"),
                bytes.u32Little(MASKS_AT + 8, "masks"),
                alpha ? bytes.u32Little(MASKS_AT + 12, "masks") : 0);
    }

    private static ImageHeader header(long width, long height, int bits) throws MalformedImageException {
        return ImageHeader.plain(ImageFormat.BMP, width, height, bits <= 8 ? 1 : bits / 8, Math.min(bits, 8));
    }
}
