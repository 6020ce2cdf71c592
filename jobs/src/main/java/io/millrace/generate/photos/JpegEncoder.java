package io.millrace.generate.photos;

import java.util.Locale;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;

/** An encoder of images of one size as JPEGs with colour at half resolution (4:2:0). Owns native memory; not thread-safe. */
final class JpegEncoder implements AutoCloseable {
    private final int width;
    private final int height;
    private final Mat image;
    private final IntPointer parameters;

    /** Creates an encoder for images of this size; {@code quality} is that of libjpeg, 1 to 100. */
    JpegEncoder(int width, int height, int quality) {
        this(width, height, quality, 0);
    }

    /** Creates an encoder that also writes a restart marker after every {@code restart} coded units; 0 for none. */
    JpegEncoder(int width, int height, int quality, int restart) {
        this.width = width;
        this.height = height;
        this.image = new Mat(height, width, opencv_core.CV_8UC3);
        this.parameters = new IntPointer(
                opencv_imgcodecs.IMWRITE_JPEG_QUALITY,
                quality,
                opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR,
                opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR_420,
                opencv_imgcodecs.IMWRITE_JPEG_RST_INTERVAL,
                restart);
    }

    /** Returns the bytes of the file for blue, green and red of each pixel, row by row from the top. */
    byte[] encode(byte[] pixels) {
        image.data().put(pixels, 0, 3 * width * height);
        try (BytePointer extension = new BytePointer(".jpg");
                BytePointer encoded = new BytePointer()) {
            if (!opencv_imgcodecs.imencode(extension, image, encoded, parameters)) {
                throw new IllegalStateException(
                        String.format(Locale.ROOT, "OpenCV cannot encode a JPEG of %dx%d pixels", width, height));
            }
            byte[] file = new byte[(int) encoded.limit()];
            encoded.get(file);
            return file;
        }
    }

    @Override
    public void close() {
        image.close();
        parameters.close();
    }
}
