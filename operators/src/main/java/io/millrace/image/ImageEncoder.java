package io.millrace.image;

import io.millrace.sample.Field;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.global.opencv_imgproc;
import org.bytedeco.opencv.opencv_core.Mat;

/** An encoder of uint8 images with OpenCV's codecs: libjpeg-turbo, libpng and libwebp. Stateless and thread-safe. */
public final class ImageEncoder {
    /** The formats that can be written. */
    public enum Encoding {
        /** Lossy, with colour at half resolution (4:2:0). */
        JPEG(".jpg", opencv_imgcodecs.IMWRITE_JPEG_QUALITY),
        /** Lossless. The quality is ignored. */
        PNG(".png", -1),
        /** Lossy. */
        WEBP(".webp", opencv_imgcodecs.IMWRITE_WEBP_QUALITY);

        private final String extension;
        private final int qualityFlag;

        Encoding(String extension, int qualityFlag) {
            this.extension = extension;
            this.qualityFlag = qualityFlag;
        }
    }

    private ImageEncoder() {}

    /**
     * Encodes an image.
     *
     * @param image uint8 [height, width, 1 or 3], RGB
     * @param encoding the format
     * @param quality 1 to 100, as libjpeg and libwebp count it
     * @return the bytes of an image file
     */
    public static byte[] encode(Field image, Encoding encoding, int quality) {
        int channels = image.channels();
        int[] flags = encoding.qualityFlag < 0 ? new int[0] : new int[] {encoding.qualityFlag, quality};
        try (Mat rgb = new Mat(image.height(), image.width(), opencv_core.CV_8UC(channels));
                Mat bgr = new Mat();
                BytePointer extension = new BytePointer(encoding.extension);
                BytePointer encoded = new BytePointer();
                IntPointer parameters = new IntPointer(flags)) {
            rgb.data().put(image.data(), 0, image.data().length);
            if (channels == 3) {
                opencv_imgproc.cvtColor(rgb, bgr, opencv_imgproc.COLOR_RGB2BGR);
            }
            if (!opencv_imgcodecs.imencode(extension, channels == 3 ? bgr : rgb, encoded, parameters)) {
                throw new IllegalStateException("OpenCV cannot encode " + image + " as " + encoding);
            }
            byte[] file = new byte[(int) encoded.limit()];
            encoded.get(file);
            return file;
        }
    }
}
