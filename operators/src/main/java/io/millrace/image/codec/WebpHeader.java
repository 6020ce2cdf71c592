package io.millrace.image.codec;

/** A reader of a WebP's first chunk (RIFF container; VP8 of RFC 6386, VP8L and VP8X of RFC 9649). */
final class WebpHeader {
    private static final int FIRST_CHUNK = 12;
    private static final int DATA = 20;

    private WebpHeader() {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        String chunk = bytes.text(FIRST_CHUNK, 4, "the first chunk");
        switch (chunk) {
            case "VP8 " -> {
                int width = bytes.u16Little(DATA + 6, "width") & 0x3fff;
                int height = bytes.u16Little(DATA + 8, "height") & 0x3fff;
                return ImageHeader.plain(ImageFormat.WEBP, width, height, 3, 8);
            }
            case "VP8L" -> {
                long bits = bytes.u32Little(DATA + 1, "the image's size");
                int channels = ((bits >> 28) & 1) == 1 ? 4 : 3;
                return ImageHeader.plain(
                        ImageFormat.WEBP, (bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1, channels, 8);
            }
            case "VP8X" -> {
                int channels = (bytes.u8(DATA, "flags") & 0x10) == 0 ? 3 : 4;
                return ImageHeader.plain(ImageFormat.WEBP, u24(bytes, 24) + 1, u24(bytes, 27) + 1, channels, 8);
            }
            default ->
                throw new MalformedImageException(
                        FIRST_CHUNK, "corrupt WebP: expected a VP8, VP8L or VP8X chunk, found '" + chunk + "'");
        }
    }

    private static long u24(HeaderBytes bytes, int at) throws MalformedImageException {
        return bytes.u16Little(at, "the image's size") | ((long) bytes.u8(at + 2, "the image's size") << 16);
    }
}
