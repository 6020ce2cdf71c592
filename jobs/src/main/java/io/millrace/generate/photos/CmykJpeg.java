package io.millrace.generate.photos;

import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * A four-component JPEG as Adobe's programs write it: inverted CMYK behind an APP14 segment.
 *
 * <p>The JDK's writer takes four bands as they are but cannot write APP14, so that segment is put in behind the start.
 */
final class CmykJpeg {
    /** Marker, length 14, "Adobe", version 100, two words of flags, transform 0: no YCCK. */
    private static final int[] APP14 = {0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};

    private CmykJpeg() {}

    /** The file of a picture given as blue, green, red per pixel, rows from the top. */
    static byte[] encode(byte[] pixels, PictureSize size) throws IOException {
        int count = size.width() * size.height();
        byte[] inks = new byte[4 * count];
        for (int i = 0; i < count; i++) {
            // Without black, inverted cyan is red, inverted magenta green, inverted yellow blue.
            inks[4 * i] = pixels[3 * i + 2];
            inks[4 * i + 1] = pixels[3 * i + 1];
            inks[4 * i + 2] = pixels[3 * i];
            inks[4 * i + 3] = (byte) 255;
        }
        byte[] plain = write(Raster.createInterleavedRaster(
                new DataBufferByte(inks, inks.length),
                size.width(),
                size.height(),
                4 * size.width(),
                4,
                new int[] {0, 1, 2, 3},
                null));
        ByteArrayOutputStream file = new ByteArrayOutputStream(plain.length + APP14.length);
        file.write(plain, 0, 2);
        for (int value : APP14) {
            file.write(value);
        }
        file.write(plain, 2, plain.length - 2);
        return file.toByteArray();
    }

    private static byte[] write(Raster raster) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream output = new MemoryCacheImageOutputStream(bytes)) {
            ImageWriteParam quality = writer.getDefaultWriteParam();
            quality.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            quality.setCompressionQuality(0.9f);
            writer.setOutput(output);
            writer.write(null, new IIOImage(raster, null, null), quality);
        } finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }
}
