package io.millrace.image;

/** Reads a Windows bitmap's header. */
final class BmpHeader {
    private static final int FILE_HEADER_BYTES = 14;
    private static final int OS2_HEADER_BYTES = 12;

    private BmpHeader() {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        long headerBytes = bytes.u32Little(FILE_HEADER_BYTES, "the header's size");
        if (headerBytes == OS2_HEADER_BYTES) {
            int bits = bytes.u16Little(24, "bits per pixel");
            return header(bytes.u16Little(18, "width"), bytes.u16Little(20, "height"), bits);
        }
        bytes.require(FILE_HEADER_BYTES, 40, "the header");
        int height = (int) bytes.u32Little(22, "height");
        int bits = bytes.u16Little(28, "bits per pixel");
        long compression = bytes.u32Little(30, "compression");
        // A negative height means that the rows are stored from the top.
        ImageHeader header = header(bytes.u32Little(18, "width"), Math.abs((long) height), bits);
        if (compression != 0 && !(compression == 3 && bits == 32)) {
            return header.withObstacle("a compressed BMP (method " + compression + ")");
        }
        if (bits == 16) {
            return header.withObstacle("a BMP of 16 bits per pixel");
        }
        return header;
    }

    private static ImageHeader header(long width, long height, int bits) throws MalformedImageException {
        return ImageHeader.plain(ImageFormat.BMP, width, height, bits <= 8 ? 1 : bits / 8, Math.min(bits, 8));
    }
}
