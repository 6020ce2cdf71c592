package io.millrace.image;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.image.codec.WebpStructure;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;

/**
 * The part of {@link ImageDecoder} that decodes with OpenCV: WebP, and the JPEGs that the kernels do not decode.
 *
 * <p>Belongs to one thread. The native scratch memory is as large as the largest image so far, up to {@value
 * #RETAINED_BYTES} bytes for encoded images and the same for decoded images. {@link #close} and the garbage
 * collection of the decoder free this memory.
 */
final class OpenCvDecoder implements AutoCloseable {
    /**
     * The largest number of bytes of scratch memory that is kept. A larger image gets memory of its own, which is
     * freed at once, so that one huge image does not occupy memory for ever.
     */
    private static final long RETAINED_BYTES = 1 << 26;

    static {
        // By default, JavaCPP compares the resident memory of the whole process (including Flink and PyTorch) with a
        // multiple of the Java heap, and refuses to allocate above it. DecodeLimits bound our allocations instead.
        setDefault("org.bytedeco.javacpp.maxPhysicalBytes");
        setDefault("org.bytedeco.javacpp.maxBytes");
        // The pipeline runs one decoder per slot. A second level of threads would compete with the first.
        opencv_core.setNumThreads(0);
    }

    private BytePointer encodedScratch = new BytePointer(0L);
    private BytePointer pixelScratch = new BytePointer(0L);

    /**
     * Decodes the whole image and copies a rectangle of it.
     *
     * @param image the checked image
     * @param reduction 1 for all pixels; 2, 4 or 8 for that fraction of the height and width, rounded up
     * @param crop a rectangle within the reduced image
     * @param pixels the destination, as long as the rectangle
     * @throws MalformedImageException when OpenCV finds damage
     */
    void decode(CheckedImage image, int reduction, Crop crop, byte[] pixels) throws MalformedImageException {
        ImageHeader header = image.header();
        byte[] encoded =
                header.format() == ImageFormat.WEBP ? WebpStructure.endingWithImage(image.encoded()) : image.encoded();
        int height = ImageDecoder.reduced(header.height(), reduction);
        int width = ImageDecoder.reduced(header.width(), reduction);
        int pixelBytes = Math.toIntExact(3L * height * width);
        encodedScratch = grown(encodedScratch, encoded.length);
        pixelScratch = grown(pixelScratch, pixelBytes);
        encodedScratch.position(0).put(encoded, 0, encoded.length);
        try (Mat source = new Mat(1, encoded.length, opencv_core.CV_8UC1, encodedScratch);
                Mat target = new Mat(height, width, opencv_core.CV_8UC3, pixelScratch);
                Mat decoded = read(source, target, reduction)) {
            // After a failure, the target still looks complete and contains the previous image. Only the returned
            // matrix shows the failure.
            if (decoded.empty()) {
                throw new MalformedImageException(
                        -1,
                        "truncated or corrupt " + header.format() + ": expected " + header.width() + "x"
                                + header.height() + " pixels as stated in its header, but they cannot be decoded");
            }
            if (decoded.rows() != height || decoded.cols() != width || decoded.channels() != 3) {
                throw new MalformedImageException(
                        -1,
                        "corrupt " + header.format() + ": expected " + width + "x" + height
                                + " pixels as stated in its header, found " + decoded.cols() + "x" + decoded.rows());
            }
            try (BytePointer data = new BytePointer(decoded.data())) {
                crop.copy(data.capacity(pixelBytes).asByteBuffer(), width, pixels);
            }
        } finally {
            encodedScratch = retained(encodedScratch);
            pixelScratch = retained(pixelScratch);
        }
    }

    private static Mat read(Mat source, Mat target, int reduction) throws MalformedImageException {
        try {
            return opencv_imgcodecs.imdecode(source, flags(reduction), target);
        } catch (RuntimeException e) {
            // JavaCPP turns a cv::Exception into a RuntimeException.
            MalformedImageException malformed = new MalformedImageException(
                    -1, "expected a complete image, but OpenCV refuses it: " + e.getMessage());
            malformed.initCause(e);
            throw malformed;
        }
    }

    private static int flags(int reduction) {
        int flags = opencv_imgcodecs.IMREAD_COLOR_RGB | opencv_imgcodecs.IMREAD_IGNORE_ORIENTATION;
        // OpenCV's constants for reduced colour imply BGR. Therefore the bits for the reduction are taken from the
        // constants for gray.
        return switch (reduction) {
            case 1 -> flags;
            case 2 -> flags | opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_2;
            case 4 -> flags | opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_4;
            case 8 -> flags | opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_8;
            default -> throw new IllegalArgumentException("expected a reduction of 1, 2, 4 or 8, found " + reduction);
        };
    }

    private static BytePointer grown(BytePointer scratch, int bytes) {
        if (scratch.capacity() >= bytes) {
            return scratch;
        }
        scratch.close();
        return new BytePointer((long) bytes);
    }

    private static BytePointer retained(BytePointer scratch) {
        if (scratch.capacity() <= RETAINED_BYTES) {
            return scratch;
        }
        scratch.close();
        return new BytePointer(0L);
    }

    /** Frees the scratch memory. The decoder can still be used, and then allocates new memory. */
    @Override
    public void close() {
        encodedScratch.close();
        pixelScratch.close();
        encodedScratch = new BytePointer(0L);
        pixelScratch = new BytePointer(0L);
    }

    private static void setDefault(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "0");
        }
    }
}
