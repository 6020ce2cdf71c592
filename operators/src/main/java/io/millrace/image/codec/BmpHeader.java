package io.millrace.image.codec;

import java.util.Set;

/** A reader of the header of a Windows bitmap. */
final class BmpHeader {
    static final int RLE8 = 1;
    static final int RLE4 = 2;

    private static final int FILE_HEADER_BYTES = 14;
    private static final int OS2_HEADER_BYTES = 12;
    private static final int BITFIELDS = 3;
    private static final int MASKS_AT = FILE_HEADER_BYTES + 40;
    private static final int HEADER_WITH_ALPHA_BYTES = 56;
    private static final Masks FIVE = new Masks(0x7c00, 0x3e0, 0x1f, 0);
    private static final Set<Masks> SIXTEEN_BITS = Set.of(FIVE, new Masks(0xf800, 0x7e0, 0x1f, 0));
    private static final Set<Masks> THIRTY_TWO_BITS = Set.of(
            new Masks(0xff0000, 0xff00, 0xff, 0),
            new Masks(0xff000000L, 0xff0000, 0xff00, 0),
            new Masks(0xff000000L, 0xff00, 0xff, 0),
            new Masks(0xff000000L, 0xff0000, 0xff00, 0xff),
            new Masks(0xff, 0xff00, 0xff0000, 0xff000000L),
            new Masks(0xff0000, 0xff00, 0xff, 0xff000000L),
            new Masks(0xff000000L, 0xff00, 0xff, 0xff0000),
            new Masks(0, 0, 0, 0));

    private BmpHeader() {}

    /** The bits of a stored pixel that hold each channel, as masks; 0 when there is no such channel. */
    record Masks(long red, long green, long blue, long alpha) {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        long headerBytes = headerBytes(bytes);
        if (headerBytes == OS2_HEADER_BYTES) {
            int bits = bytes.u16Little(24, "bits per pixel");
            ImageHeader header = header(bytes.u16Little(18, "width"), bytes.u16Little(20, "height"), bits);
            return bits == 16 ? header.withObstacle("a BMP of OS/2 of 16 bits per pixel") : header;
        }
        bytes.require(FILE_HEADER_BYTES, 40, "the header");
        int height = (int) bytes.u32Little(22, "height");
        int bits = bits(bytes);
        int method = method(bytes);
        // A negative height means that the rows are stored from the top.
        ImageHeader header = header(bytes.u32Little(18, "width"), Math.abs((long) height), bits);
        boolean runs = (method == RLE8 && bits == 8) || (method == RLE4 && bits == 4);
        if (method == 0 && bits != 16) {
            return header;
        }
        if (!runs && method != BITFIELDS && method != 0) {
            return header.withObstacle("a BMP of " + bits + " bits per pixel, compressed by method " + method);
        }
        if (!runs && !(bits == 16 ? SIXTEEN_BITS : THIRTY_TWO_BITS).contains(masks(bytes))) {
            return header.withObstacle("a BMP of " + bits + " bits per pixel with unknown masks " + masks(bytes));
        }
        if (!runs) {
            bytes.require(pixelsAt(bytes), header.height() * rowBytes(header.width(), bits), "pixels");
        }
        return header.withConversion();
    }

    static long headerBytes(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u32Little(FILE_HEADER_BYTES, "the header's size");
    }

    static int bits(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u16Little(28, "bits per pixel");
    }

    static int method(HeaderBytes bytes) throws MalformedImageException {
        return (int) bytes.u32Little(30, "compression");
    }

    static boolean fromTop(HeaderBytes bytes) throws MalformedImageException {
        return (int) bytes.u32Little(22, "height") < 0;
    }

    /** Returns the offset of the palette, which follows the header when there is one. */
    static long paletteAt(HeaderBytes bytes) throws MalformedImageException {
        return FILE_HEADER_BYTES + headerBytes(bytes);
    }

    /** Returns the offset of the pixels. */
    static long pixelsAt(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u32Little(10, "the offset of the pixels");
    }

    /** Returns the size of a stored row in bytes. Rows begin at multiples of 4 bytes. */
    static long rowBytes(int width, int bits) {
        return (((long) width * bits + 31) >> 3) & ~3L;
    }

    static Masks masks(HeaderBytes bytes) throws MalformedImageException {
        if (method(bytes) != BITFIELDS) {
            return FIVE;
        }
        boolean alpha = bits(bytes) == 32 && headerBytes(bytes) >= HEADER_WITH_ALPHA_BYTES;
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
