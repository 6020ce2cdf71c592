package io.millrace.image;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.ConvertedPixels;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegStructure;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.image.codec.PngStructure;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;
import org.jspecify.annotations.Nullable;

/**
 * Decodes images to RGB, 8 bits per channel, with the pixels of Pillow's {@code convert("RGB")}, difference 0.
 *
 * <p>Decoded: JPEG (baseline, extended and progressive; gray, YCbCr, RGB, CMYK and YCCK; any subsampling; at most 100
 * scans), PNG, BMP, WebP, TIFF, PNM, and the first picture of a GIF and of animated WebPs and PNGs. Alpha is dropped, gray
 * becomes three equal channels, palettes are applied, inks become light. Colour of 16 bits keeps the upper byte; gray of
 * 16 bits and of floats is clipped to 255, as in Pillow. Profiles (ICC) are ignored. What cannot be had with Pillow's
 * pixels is refused with the reason; docs/data/formats.md has the list.
 *
 * <p>The header is read and held against the {@link DecodeLimits} before anything is allocated, so a small file that
 * claims a huge picture fails at once. What damage is seen is said at {@link ImageIntegrity}.
 *
 * <p>Serves one thread. Its native scratch memory (as large as the largest picture so far, up to
 * {@value #RETAINED_BYTES} bytes each for encoded and decoded) is freed by {@link #close}, or when the decoder is
 * garbage collected.
 */
public final class ImageDecoder implements AutoCloseable {
    /** Pictures over this size get memory of their own, given back at once: one giant must not stay for ever. */
    private static final long RETAINED_BYTES = 1 << 26;

    static {
        // JavaCPP otherwise holds the whole process's resident memory (Flink's and PyTorch's too) against a multiple of
        // the Java heap, and refuses to allocate when that is exceeded. DecodeLimits bound what we allocate.
        setDefault("org.bytedeco.javacpp.maxPhysicalBytes");
        setDefault("org.bytedeco.javacpp.maxBytes");
        // The pipeline runs one decoder per slot: a second level of threads would only fight with the first.
        opencv_core.setNumThreads(0);
    }

    private final DecodeLimits limits;
    private final JpegStructure jpegs;
    private final @Nullable JpegKernel jpegKernel;
    private static final byte[] NONE = {};

    private BytePointer encodedScratch = new BytePointer(0L);
    private BytePointer pixelScratch = new BytePointer(0L);

    /** A decoder that refuses what is over the limits, and looks for damage as {@code integrity} says. */
    public ImageDecoder(DecodeLimits limits, ImageIntegrity integrity) {
        this(limits, integrity, Kernels.chosen());
    }

    ImageDecoder(DecodeLimits limits, ImageIntegrity integrity, Kernels kernels) {
        this.limits = limits;
        this.jpegs = new JpegStructure(integrity);
        this.jpegKernel = kernels.jpegs();
    }

    /**
     * Decodes, pixels as stored: an EXIF orientation is ignored.
     *
     * @return uint8, [height, width, 3], in an array of its own
     * @throws MalformedImageException when the bytes are no image, damaged, over a limit, or of a kind not decoded
     */
    public Field decode(byte[] encoded) throws MalformedImageException {
        return decode(encoded, NONE);
    }

    /**
     * Decodes as {@link #decode(byte[])} does, into {@code spare} if it has just the right length: an array that was
     * written a moment ago is in the processor's cache, and a fresh one has to be zeroed first.
     */
    public Field decode(byte[] encoded, byte[] spare) throws MalformedImageException {
        CheckedImage image = check(encoded);
        return decode(image, Crop.whole(image.height(), image.width()), spare);
    }

    /**
     * Reads the header and looks for damage, of the whole file: what is decoded of it later changes nothing in the verdict.
     *
     * @throws MalformedImageException when the bytes are no image, damaged, over a limit, or of a kind not decoded
     */
    public CheckedImage check(byte[] encoded) throws MalformedImageException {
        limits.checkBytes(encoded.length);
        ImageHeader header = ImageHeader.parse(encoded);
        limits.checkPixels(header);
        if (header.obstacle() != null) {
            throw new MalformedImageException(
                    -1, "expected an image with 8-bit RGB pixels, found " + header.obstacle());
        }
        boolean partly = false;
        switch (header.format()) {
            case JPEG -> partly = jpegs.check(encoded) && !header.converted();
            case PNG -> PngStructure.check(encoded, header);
            // Their headers hold the length against the picture, or their decoders tell when bytes are missing.
            case BMP, GIF, WEBP, TIFF, PNM -> {}
        }
        return new CheckedImage(encoded, header, partly);
    }

    /**
     * Decodes a rectangle: the pixels that {@link #decode(byte[])} gives there. Where the kernels can, only what they need
     * for it is decoded.
     *
     * @param crop within the image
     * @param spare an array that the result may use when its length is just right
     * @throws MalformedImageException when the decoder finds damage
     */
    public Field decode(CheckedImage image, Crop crop, byte[] spare) throws MalformedImageException {
        return decodeReduced(image, 1, crop, spare);
    }

    /**
     * Decodes a rectangle of an image reduced by libjpeg while it decodes, which takes less time and is not what resizing
     * gives: it averages blocks of pixels in its cosine transform. Resized further to 0.9 of that, 200 photos of 500x375
     * differed from exact resizing by 2.9 levels on average at 1/2, 2.4 at 1/4 and 4.0 at 1/8; 99 of 100 values by 13, 9
     * and 17 at most, and the worst by 53, 29 and 48. Decoding and resizing took 0.76 of the time at 1/2, 0.68 at 1/4. All
     * kernels give the same.
     *
     * @param reduction 1 for all pixels, or 2, 4 or 8 for that part of the height and width, rounded up, of an image that
     *     is {@link CheckedImage#reducible}
     * @param crop within the reduced image
     */
    public Field decodeReduced(CheckedImage image, int reduction, Crop crop, byte[] spare)
            throws MalformedImageException {
        if (reduction != 1 && !image.reducible()) {
            throw new IllegalArgumentException("a " + image.header().format() + " cannot be reduced while decoding");
        }
        requireWithin(crop, reduced(image.height(), reduction), reduced(image.width(), reduction));
        int bytes = Math.toIntExact(3L * crop.height() * crop.width());
        byte[] pixels = spare.length == bytes ? spare : new byte[bytes];
        boolean decoded = jpegKernel != null
                && image.partly()
                && jpegKernel.decode(image.encoded(), image.header(), reduction, crop, pixels);
        if (image.header().converted()) {
            copy(ByteBuffer.wrap(ConvertedPixels.decode(image)), image.width(), crop, pixels);
        } else if (!decoded) {
            decodeWhole(image, reduction, crop, pixels);
        }
        return Field.image(crop.height(), crop.width(), 3, pixels);
    }

    private static int reduced(int extent, int reduction) {
        return (extent + reduction - 1) / reduction;
    }

    private static void requireWithin(Crop crop, int height, int width) {
        if (!crop.within(height, width)) {
            throw new IllegalArgumentException(
                    "cannot decode crop " + crop + " of an image of " + height + "x" + width);
        }
    }

    /** Decodes with OpenCV and copies the crop out. */
    private void decodeWhole(CheckedImage image, int reduction, Crop crop, byte[] pixels)
            throws MalformedImageException {
        byte[] encoded = image.encoded();
        ImageHeader header = image.header();
        int height = reduced(header.height(), reduction);
        int width = reduced(header.width(), reduction);
        int pixelBytes = Math.toIntExact(3L * height * width);
        encodedScratch = grown(encodedScratch, encoded.length);
        pixelScratch = grown(pixelScratch, pixelBytes);
        encodedScratch.position(0).put(encoded, 0, encoded.length);
        try (Mat source = new Mat(1, encoded.length, opencv_core.CV_8UC1, encodedScratch);
                Mat target = new Mat(height, width, opencv_core.CV_8UC3, pixelScratch);
                Mat decoded = read(source, target, reduction)) {
            // After a failure the target still looks whole and holds the previous picture: only the result tells.
            if (decoded.empty()) {
                throw new MalformedImageException(
                        -1,
                        "truncated or corrupt " + header.format() + ": expected " + header.width() + "x"
                                + header.height() + " pixels as its header says, found that they cannot be decoded");
            }
            if (decoded.rows() != height || decoded.cols() != width || decoded.channels() != 3) {
                throw new MalformedImageException(
                        -1,
                        "corrupt " + header.format() + ": expected " + width + "x" + height
                                + " pixels as its header says, found " + decoded.cols() + "x" + decoded.rows());
            }
            try (BytePointer data = new BytePointer(decoded.data())) {
                copy(data.capacity(pixelBytes).asByteBuffer(), width, crop, pixels);
            }
        } finally {
            encodedScratch = retained(encodedScratch);
            pixelScratch = retained(pixelScratch);
        }
    }

    private static void copy(ByteBuffer decoded, int columns, Crop crop, byte[] pixels) {
        int rowBytes = 3 * crop.width();
        int stride = 3 * columns;
        int corner = crop.top() * stride + 3 * crop.left();
        if (rowBytes == stride) {
            decoded.get(corner, pixels, 0, pixels.length);
            return;
        }
        for (int row = 0; row < crop.height(); row++) {
            decoded.get(corner + row * stride, pixels, row * rowBytes, rowBytes);
        }
    }

    private static Mat read(Mat source, Mat target, int reduction) throws MalformedImageException {
        try {
            return opencv_imgcodecs.imdecode(source, flags(reduction), target);
        } catch (RuntimeException e) {
            // JavaCPP's form of cv::Exception.
            MalformedImageException malformed = new MalformedImageException(
                    -1, "expected a whole image, found that OpenCV refuses it: " + e.getMessage());
            malformed.initCause(e);
            throw malformed;
        }
    }

    private static int flags(int reduction) {
        int flags = opencv_imgcodecs.IMREAD_COLOR_RGB | opencv_imgcodecs.IMREAD_IGNORE_ORIENTATION;
        // OpenCV's names for reduced colour mean BGR; the bits that reduce are those of its names for gray.
        return switch (reduction) {
            case 1 -> flags;
            case 2 -> flags | opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_2;
            case 4 -> flags | opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_4;
            case 8 -> flags | opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_8;
            default -> throw new IllegalArgumentException("a reduction is 1, 2, 4 or 8, found " + reduction);
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

    /** Frees the scratch memory; the decoder stays usable and would take new. */
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
