package io.millrace.image;

/** Reads a GIF's screen and its first frame (GIF89a). */
final class GifHeader {
    private static final int SCREEN_END = 13;
    private static final int EXTENSION = 0x21;
    private static final int GRAPHIC_CONTROL = 0xf9;
    private static final int IMAGE = 0x2c;

    private GifHeader() {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        int width = bytes.u16Little(6, "width");
        int height = bytes.u16Little(8, "height");
        int flags = bytes.u8(10, "flags");
        ImageHeader header = ImageHeader.plain(ImageFormat.GIF, width, height, 1, 8);
        long at = SCREEN_END + ((flags & 0x80) == 0 ? 0 : 3L << ((flags & 7) + 1));
        while (true) {
            int block = bytes.u8(at, "a block");
            if (block == EXTENSION) {
                if (bytes.u8(at + 1, "an extension") == GRAPHIC_CONTROL && (bytes.u8(at + 3, "flags") & 1) == 1) {
                    header = header.withObstacle("a GIF whose first frame has transparent pixels");
                }
                at += 2;
                for (int size = bytes.u8(at, "an extension"); size != 0; size = bytes.u8(at, "an extension")) {
                    at += size + 1L;
                }
                at++;
            } else if (block == IMAGE) {
                boolean whole = bytes.u16Little(at + 1, "the first frame") == 0
                        && bytes.u16Little(at + 3, "the first frame") == 0
                        && bytes.u16Little(at + 5, "the first frame") == width
                        && bytes.u16Little(at + 7, "the first frame") == height;
                return whole ? header : header.withObstacle("a GIF whose first frame does not cover the picture");
            } else {
                throw new MalformedImageException(
                        at, "corrupt GIF: expected an extension or a frame, found " + bytes.describe((int) at, 4));
            }
        }
    }
}
