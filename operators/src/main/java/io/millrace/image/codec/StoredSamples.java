package io.millrace.image.codec;

import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** A reader of an image's samples as they are stored, without conversion of colours. It uses the reader of the JDK. */
final class StoredSamples {
    private StoredSamples() {}

    @FunctionalInterface
    private interface Reading<T> {
        T from(ImageReader reader) throws IOException;
    }

    /** Reads the samples of a JPEG without undoing its transformation of colours. The header is that of {@code image}. */
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
        } catch (IOException
                | RuntimeException e) { // the readers use unchecked values from the file as indexes of arrays
            MalformedImageException malformed = new MalformedImageException(
                    -1,
                    "corrupt " + image.header().format() + ": expected an image that can be decoded, found: "
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
                            + " pixels as in its header, found " + width + "x" + height);
        }
    }
}
