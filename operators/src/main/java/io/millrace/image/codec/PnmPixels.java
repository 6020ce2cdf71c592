package io.millrace.image.codec;

/**
 * A decoder of portable anymaps whose largest value is not 255. It scales samples like Pillow: gray of more than 8 bits to 16
 * bits, and all other samples to 8 bits.
 */
final class PnmPixels {
    private PnmPixels() {}

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        ImageHeader header = image.header();
        PnmHeader reader = PnmHeader.upToPixels(new HeaderBytes(image.encoded(), "PNM"));
        int channels = header.channels();
        int scaled = channels == 1 && reader.largest() > 255 ? 65535 : 255;
        byte[] rgb = new byte[Math.toIntExact(3 * header.pixels())];
        for (int to = 0; to < rgb.length; to += 3) {
            for (int channel = 0; channel < channels; channel++) {
                // The division must come first, because the rounding of the quotient affects the result.
                double level = Math.rint((double) reader.sample() / reader.largest() * scaled);
                rgb[to + channel] = (byte) ConvertedPixels.clipped((int) level);
            }
            if (channels == 1) {
                ConvertedPixels.gray(rgb, to, rgb[to]);
            }
        }
        return rgb;
    }
}
