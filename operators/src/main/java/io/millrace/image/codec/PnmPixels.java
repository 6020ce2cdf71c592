package io.millrace.image.codec;

/** Decodes portable anymaps whose largest value is not 255, scaling as Pillow does: of more than 8 bits, gray to 16 bits. */
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
                // In this order, as the rounding of the quotient is part of the result.
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
