package io.millrace.image.codec;

import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** Reads an image's samples as they are stored, without any conversion of colours, with the JDK's readers. */
final class StoredSamples {
    private StoredSamples() {}

    @FunctionalInterface
    private interface Reading<T> {
        T from(ImageReader reader) throws IOException;
    }

    /**
     * The first picture of a PNG or TIFF; its raster holds the samples.
     *
     * @throws MalformedImageException when it cannot be read or is not of its header's size
     */
    static BufferedImage read(String format, CheckedImage image) throws MalformedImageException {
        return read(format, image, image.encoded());
    }

    /** The same, from bytes that stand for the image's. */
    static BufferedImage read(String format, CheckedImage image, byte[] encoded) throws MalformedImageException {
        BufferedImage read = read(format, image, encoded, reader -> reader.read(0));
        requireSize(image.header(), read.getWidth(), read.getHeight());
        return read;
    }

    /** The samples of a JPEG of the header of {@code image}, its transformation of colours left as it is. */
    static Raster jpeg(CheckedImage image, byte[] encoded) throws MalformedImageException {
        Raster read = read("jpeg", image, encoded, reader -> reader.readRaster(0, null));
        requireSize(image.header(), read.getWidth(), read.getHeight());
        return read;
    }

    private static <T> T read(String format, CheckedImage image, byte[] encoded, Reading<T> reading)
            throws MalformedImageException {
        ImageReader reader = ImageIO.getImageReadersByFormatName(format).next();
        try (MemoryCacheImageInputStream input = new MemoryCacheImageInputStream(new ByteArrayInputStream(encoded))) {
            reader.setInput(input, true, true);
            return reading.from(reader);
        } catch (IOException | RuntimeException e) { // the readers index arrays with what they read
            MalformedImageException malformed = new MalformedImageException(
                    -1,
                    "corrupt " + image.header().format() + ": expected a whole image, found that it cannot be decoded: "
                            + e.getMessage());
            malformed.initCause(e);
            throw malformed;
        } finally {
            reader.dispose();
        }
    }

    private static void requireSize(ImageHeader header, int width, int height) throws MalformedImageException {
        if (width != header.width() || height != header.height()) {
            throw new MalformedImageException(
                    -1,
                    "corrupt " + header.format() + ": expected " + header.width() + "x" + header.height()
                            + " pixels as its header says, found " + width + "x" + height);
        }
    }
}
