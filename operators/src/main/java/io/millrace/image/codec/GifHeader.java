package io.millrace.image.codec;

/** A reader of a GIF's screen and first frame (GIF89a). */
final class GifHeader {
    /** The offset of the global palette, if there is one. */
    static final int SCREEN_END = 13;

    private static final int EXTENSION = 0x21;
    private static final int GRAPHIC_CONTROL = 0xf9;
    private static final int IMAGE = 0x2c;

    private GifHeader() {}

    /**
     * A frame of a GIF.
     *
     * @param at the offset of the frame's descriptor
     * @param left the column of the screen at which the frame begins
     * @param top the row of the screen at which the frame begins
     * @param transparent the index of the transparent colour, or -1 when there is none
     */
    record Frame(long at, int left, int top, int width, int height, int transparent) {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        Frame frame = firstFrame(bytes);
        // A frame that extends beyond the screen enlarges the screen, as in Pillow.
        int width = Math.max(bytes.u16Little(6, "width"), frame.left + frame.width);
        int height = Math.max(bytes.u16Little(8, "height"), frame.top + frame.height);
        if (frame.width < 1 || frame.height < 1) {
            throw new MalformedImageException(
                    frame.at,
                    "corrupt GIF: expected a first frame of at least 1x1 pixels, found " + frame.width + "x"
                            + frame.height);
        }
        return ImageHeader.plain(ImageFormat.GIF, width, height, 1, Byte.SIZE).withConversion();
    }

    static Frame firstFrame(HeaderBytes bytes) throws MalformedImageException {
        int flags = bytes.u8(10, "flags");
        int transparent = -1;
        long at = SCREEN_END + ((flags & 0x80) == 0 ? 0 : 3L << ((flags & 7) + 1));
        while (true) {
            int block = bytes.u8(at, "a block");
            if (block == EXTENSION) {
                if (bytes.u8(at + 1, "an extension") == GRAPHIC_CONTROL
                        && bytes.u8(at + 2, "an extension") >= 4
                        && (bytes.u8(at + 3, "flags") & 1) == 1) {
                    transparent = bytes.u8(at + 6, "the transparent colour");
                }
                at += 2;
                for (int size = bytes.u8(at, "an extension"); size != 0; size = bytes.u8(at, "an extension")) {
                    at += size + 1L;
                }
                at++;
            } else if (block == IMAGE) {
                return new Frame(
                        at,
                        bytes.u16Little(at + 1, "the first frame"),
                        bytes.u16Little(at + 3, "the first frame"),
                        bytes.u16Little(at + 5, "the first frame"),
                        bytes.u16Little(at + 7, "the first frame"),
                        transparent);
            } else {
                throw new MalformedImageException(
                        at, "corrupt GIF: expected an extension or a frame, found " + bytes.describe((int) at, 4));
            }
        }
    }
}
