package io.millrace.image.codec;

/**
 * A decoder of portable anymaps. It scales samples like Pillow: gray of more than 8 bits to 16 bits, and all other samples to 8
 * bits.
 */
final class PnmPixels {
    private final PnmHeader reader;
    private final ImageHeader header;
    private final byte[] rgb;

    /** The level of each sample of 8 bits. */
    private final byte[] levelOfByte = new byte[256];

    private PnmPixels(CheckedImage image) throws MalformedImageException {
        header = image.header();
        reader = PnmHeader.upToPixels(new HeaderBytes(image.encoded(), "PNM"));
        rgb = new byte[Math.toIntExact(3 * header.pixels())];
        for (int sample = 0; sample < levelOfByte.length; sample++) {
            levelOfByte[sample] = level(sample);
        }
    }

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        PnmPixels pixels = new PnmPixels(image);
        if (pixels.reader.plain()) {
            pixels.plain();
        } else {
            pixels.raw();
        }
        return pixels.rgb;
    }

    private void plain() throws MalformedImageException {
        int channels = header.channels();
        for (int to = 0; to < rgb.length; ) {
            byte first = level(reader.plainSample());
            rgb[to++] = first;
            rgb[to++] = channels == 1 ? first : level(reader.plainSample());
            rgb[to++] = channels == 1 ? first : level(reader.plainSample());
        }
    }

    private void raw() throws MalformedImageException {
        byte[] row = new byte[Math.toIntExact(reader.rowBytes())];
        int samples = header.channels() * header.width();
        boolean stored = !reader.bitmap() && reader.largest() == 255;
        byte[] levels = stored ? row : new byte[samples];
        for (int y = 0, to = 0; y < header.height(); y++, to += 3 * header.width()) {
            reader.row(row);
            if (!stored) {
                scale(row, levels);
            }
            if (header.channels() == 1) {
                for (int x = 0; x < samples; x++) {
                    ConvertedPixels.gray(rgb, to + 3 * x, levels[x]);
                }
            } else {
                System.arraycopy(levels, 0, rgb, to, samples);
            }
        }
    }

    private void scale(byte[] row, byte[] levels) {
        boolean wide = reader.largest() > 255;
        for (int sample = 0; sample < levels.length; sample++) {
            levels[sample] = reader.bitmap()
                    ? level(PngPixels.sample(row, sample, 1))
                    : wide
                            ? level((row[2 * sample] & 255) << 8 | (row[2 * sample + 1] & 255))
                            : levelOfByte[row[sample] & 255];
        }
    }

    private byte level(int sample) {
        if (reader.bitmap()) {
            return (byte) (sample == 0 ? 255 : 0);
        }
        int scaled = header.channels() == 1 && reader.largest() > 255 ? 65535 : 255;
        // The division must come first, because the rounding of the quotient affects the result.
        return (byte) ConvertedPixels.clipped((int) Math.rint((double) sample / reader.largest() * scaled));
    }
}
