package io.millrace.image.codec;

/** A reader of a PNG's first chunks (W3C PNG, section 11). */
final class PngHeader {
    private static final int SIGNATURE_BYTES = 8;
    private static final int COLOR_AT = 25;
    private static final int INTERLACING_AT = 28;

    private PngHeader() {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        bytes.require(SIGNATURE_BYTES, 25, "the IHDR chunk");
        String first = bytes.text(SIGNATURE_BYTES + 4, 4, "IHDR");
        if (!first.equals("IHDR")) {
            throw new MalformedImageException(
                    SIGNATURE_BYTES + 4, "corrupt PNG: expected the IHDR chunk first, found '" + first + "'");
        }
        int depth = bytes.u8(24, "bit depth");
        int color = color(bytes);
        int channels =
                switch (color) {
                    case 0, 3 -> 1;
                    case 2 -> 3;
                    case 4 -> 2;
                    case 6 -> 4;
                    default ->
                        throw new MalformedImageException(
                                COLOR_AT, "corrupt PNG: expected colour type 0, 2, 3, 4 or 6, found " + color);
                };
        boolean known = depth == 8
                || (depth == 16 && color != 3)
                || ((depth == 1 || depth == 2 || depth == 4) && (color == 0 || color == 3));
        if (!known) {
            throw new MalformedImageException(
                    24, "corrupt PNG: expected a bit depth of colour type " + color + ", found " + depth);
        }
        for (int at = COLOR_AT + 1; at <= INTERLACING_AT; at++) {
            int method = bytes.u8(at, "methods");
            if (method > (at == INTERLACING_AT ? 1 : 0)) {
                throw new MalformedImageException(
                        at,
                        "corrupt PNG: expected known methods of compression, filters and interlacing, found " + method);
            }
        }
        return ImageHeader.plain(
                        ImageFormat.PNG, bytes.u32Big(16, "width"), bytes.u32Big(20, "height"), channels, depth)
                .withConversion();
    }

    /** Returns the colour type of a PNG whose header has been read. */
    static int color(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u8(COLOR_AT, "colour type");
    }

    /** Returns whether the rows of a PNG whose header has been read come in seven passes. */
    static boolean interlaced(HeaderBytes bytes) throws MalformedImageException {
        return bytes.u8(INTERLACING_AT, "the interlacing") != 0;
    }
}
