package io.millrace.image.codec;

import java.awt.image.Raster;
import java.io.ByteArrayOutputStream;

/**
 * A decoder of JPEGs with four components, which are inks. Their values are stored inverted, which is Adobe's convention;
 * Pillow assumes it for all such files. Adobe's marker states whether three of the inks are stored as YCbCr (YCCK).
 */
final class CmykJpeg {
    private static final int APP0 = 0xe0;
    private static final int APP14 = 0xee;
    private static final int APP15 = 0xef;
    private static final int COMMENT = 0xfe;
    private static final int START_OF_SCAN = 0xda;
    private static final int HALF = 1 << 15;

    private CmykJpeg() {}

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        ImageHeader header = image.header();
        ByteArrayOutputStream bare = new ByteArrayOutputStream(image.encoded().length);
        boolean transformed = withoutApplications(image.encoded(), bare) != 0;
        Raster raster = StoredSamples.jpeg(image, bare.toByteArray());
        if (raster.getNumBands() != 4) {
            throw new MalformedImageException(-1, "corrupt JPEG: expected 4 components, found " + raster.getNumBands());
        }
        byte[] rgb = new byte[Math.toIntExact(3 * header.pixels())];
        int[] row = new int[4 * header.width()];
        for (int y = 0, to = 0; y < header.height(); y++) {
            raster.getPixels(0, y, header.width(), 1, row);
            for (int x = 0; x < row.length; x += 4) {
                if (transformed) {
                    untransform(row, x);
                }
                to = ConvertedPixels.inks(rgb, to, 255 - row[x], 255 - row[x + 1], 255 - row[x + 2], 255 - row[x + 3]);
            }
        }
        return rgb;
    }

    /**
     * Copies a JPEG without its application segments, so that the JDK's reader does not convert colours because of them.
     *
     * @return the transformation that Adobe's marker states, or 0. libjpeg takes all others for YCCK, which is 2.
     */
    private static int withoutApplications(byte[] encoded, ByteArrayOutputStream bare) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(encoded, "JPEG");
        bare.write(encoded, 0, 2);
        int transformation = 0;
        int at = 2;
        while (true) {
            at = JpegMarkers.nextInHeader(bytes, at);
            int marker = bytes.u8(at + 1, "a marker");
            if (marker == START_OF_SCAN) {
                bare.write(encoded, at, encoded.length - at);
                return transformation;
            }
            int length = JpegMarkers.length(bytes, at);
            if (marker == APP14
                    && length >= 14
                    && bytes.text(at + 4, 5, "Adobe's marker").equals("Adobe")) {
                transformation = bytes.u8(at + 15, "Adobe's marker");
            }
            boolean application = marker >= APP0 && marker <= APP15;
            if (!application && marker != COMMENT) {
                bare.write(encoded, at, 2 + length);
            }
            at += 2 + length;
        }
    }

    /** Converts YCbCr to inks with the arithmetic of libjpeg: 16 bits of fraction, rounded. */
    private static void untransform(int[] row, int at) {
        int luma = row[at];
        int blue = row[at + 1] - 128;
        int red = row[at + 2] - 128;
        row[at] = 255 - ConvertedPixels.clipped(luma + ((91881 * red + HALF) >> 16));
        row[at + 1] = 255 - ConvertedPixels.clipped(luma + ((-22554 * blue - 46802 * red + HALF) >> 16));
        row[at + 2] = 255 - ConvertedPixels.clipped(luma + ((116130 * blue + HALF) >> 16));
    }
}
