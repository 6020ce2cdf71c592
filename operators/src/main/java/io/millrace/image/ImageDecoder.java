package io.millrace.image;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.ConvertedPixels;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegStructure;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.image.codec.PngStructure;
import io.millrace.image.codec.WebpStructure;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of images to RGB with 8 bits per channel. The pixels are equal to those of Pillow's {@code convert("RGB")}.
 *
 * <p>It decodes JPEG (baseline, extended and progressive; gray, YCbCr, RGB, CMYK and YCCK; any subsampling; at most 100
 * scans), PNG, BMP, WebP, TIFF and PNM, and the first image of a GIF and of animated WebPs and PNGs. Alpha is
 * dropped, gray becomes three equal channels, palettes are applied, and inks are converted to light. Colour of 16 bits
 * keeps the upper byte; gray of 16 bits and of floats is clipped to 255, as in Pillow. Profiles (ICC) are ignored.
 * Images that cannot be decoded to Pillow's pixels are refused with the reason. docs/data/formats.md lists these
 * images.
 *
 * <p>The header is checked against the {@link DecodeLimits} before any allocation, so a small file that claims a huge
 * image fails at once. {@link ImageIntegrity} describes the damage that is detected.
 *
 * <p>Belongs to one thread. {@link #close} and the garbage collection of the decoder free its native scratch memory.
 */
public final class ImageDecoder implements AutoCloseable {
    private final DecodeLimits limits;
    private final ImageIntegrity integrity;
    private final JpegStructure jpegs;
    private final @Nullable JpegKernel jpegKernel;
    private final @Nullable ImageKernel imageKernel;
    private static final byte[] NONE = {};

    private final OpenCvDecoder openCv = new OpenCvDecoder();

    /**
     * Creates a decoder that refuses images above the limits and searches for the damage that {@code integrity}
     * describes.
     *
     * @throws MissingKernelsException when {@link #require} does
     */
    public ImageDecoder(DecodeLimits limits, ImageIntegrity integrity) {
        this(limits, integrity, EntryPoints.OFF);
    }

    /**
     * Requires that this process can search for the damage that {@code integrity} describes. The kernels are loaded only
     * where this depends on them, because a process that reports a mistake in a pipeline file needs none.
     *
     * @throws MissingKernelsException with the reason when it cannot
     */
    public static void require(ImageIntegrity integrity) {
        if (integrity == ImageIntegrity.ENTROPY) {
            require(integrity, Kernels.chosen());
        }
    }

    private static void require(ImageIntegrity integrity, Kernels kernels) {
        if (integrity == ImageIntegrity.ENTROPY && !kernels.findDamage()) {
            String obstacle = NativeKernels.obstacle();
            throw new MissingKernelsException(
                    "integrity: entropy needs the native kernels and a CPU with AVX2, found the kernels "
                            + kernels.description()
                            + (obstacle == null ? "" : " (" + obstacle + ")")
                            + "; integrity: structure works with all kernels");
        }
    }

    /** Creates a decoder that also uses entry points of JPEGs, for images that are decoded more than once. */
    public ImageDecoder(DecodeLimits limits, ImageIntegrity integrity, EntryPoints entryPoints) {
        this(limits, integrity, entryPoints, Kernels.chosen());
    }

    ImageDecoder(DecodeLimits limits, ImageIntegrity integrity, Kernels kernels) {
        this(limits, integrity, EntryPoints.OFF, kernels);
    }

    ImageDecoder(DecodeLimits limits, ImageIntegrity integrity, EntryPoints entryPoints, Kernels kernels) {
        require(integrity, kernels);
        this.limits = limits;
        this.integrity = integrity;
        this.jpegs = new JpegStructure(kernels.markers());
        this.jpegKernel = kernels.jpegs(entryPoints);
        this.imageKernel = kernels.images();
    }

    /**
     * Decodes an image. The pixels stay as stored: an EXIF orientation is ignored.
     *
     * @param encoded the whole file
     * @return uint8, [height, width, 3], in an array of its own
     * @throws MalformedImageException when the bytes are no image, damaged, over a limit, or of a kind that is not
     *     supported
     */
    public Field decode(byte[] encoded) throws MalformedImageException {
        return decode(encoded, NONE);
    }

    /**
     * Decodes like {@link #decode(byte[])}, into {@code spare} if its length is exactly right. This is faster, because
     * an array that was written a moment ago is in the CPU's cache, and the JVM must fill a new array with zeros.
     */
    public Field decode(byte[] encoded, byte[] spare) throws MalformedImageException {
        CheckedImage image = check(encoded);
        return decode(image, Crop.whole(image.height(), image.width()), spare);
    }

    /**
     * Reads the header and searches the whole file for damage. The result does not depend on the part that is decoded
     * later.
     *
     * @param encoded the whole file
     * @throws MalformedImageException when the bytes are no image, damaged, over a limit, or of a kind that is not
     *     supported
     */
    public CheckedImage check(byte[] encoded) throws MalformedImageException {
        limits.checkBytes(encoded.length);
        ImageHeader header = ImageHeader.parse(encoded);
        limits.checkPixels(header);
        if (header.obstacle() != null) {
            throw new MalformedImageException(
                    -1, "expected an image with 8-bit RGB pixels, found " + header.obstacle());
        }
        return checked(encoded, header);
    }

    private CheckedImage checked(byte[] encoded, ImageHeader header) throws MalformedImageException {
        boolean partly = false;
        switch (header.format()) {
            case JPEG -> {
                partly = jpegs.check(encoded) && !header.converted();
                requireSound(encoded, header);
            }
            case PNG -> PngStructure.check(encoded, header);
            case WEBP -> WebpStructure.check(encoded);
            // For these formats, either the header is checked against the length of the file, or the decoder detects
            // missing bytes.
            case BMP, GIF, TIFF, PNM -> {}
        }
        return new CheckedImage(encoded, header, partly);
    }

    /** Decodes a JPEG that is a strip or tile of a TIFF, whose header is within the limits. */
    private byte[] decodePart(byte[] jpeg) throws MalformedImageException {
        CheckedImage part = checked(jpeg, ImageHeader.parse(jpeg));
        return decode(part, Crop.whole(part.height(), part.width()), NONE).data();
    }

    private void requireSound(byte[] encoded, ImageHeader header) throws MalformedImageException {
        if (integrity == ImageIntegrity.ENTROPY && jpegKernel != null && jpegKernel.isDamaged(encoded, header)) {
            throw new MalformedImageException(
                    -1,
                    String.format(
                            "corrupt JPEG: expected entropy-coded data of %dx%d pixels, found unknown codes, values out of"
                                    + " range, or more or less data",
                            header.width(), header.height()));
        }
    }

    /**
     * Decodes a rectangle. Its pixels equal the pixels of {@link #decode(byte[])}. If the kernels support it, only the
     * necessary part is decoded.
     *
     * @param image the checked image
     * @param crop a rectangle within the image
     * @param spare an array that the result may use if its length is exactly right
     * @throws MalformedImageException when the decoder finds damage
     */
    public Field decode(CheckedImage image, Crop crop, byte[] spare) throws MalformedImageException {
        return decodeReduced(image, 1, crop, spare);
    }

    /**
     * Decodes a rectangle of an image that libjpeg reduces while it decodes. This is faster, but the pixels are not
     * those of a resize, because libjpeg averages blocks of pixels in its cosine transform. 200 photos of 500x375 were
     * reduced, resized further to 0.9 of the reduced size, and compared with an exact resize. For the reductions to
     * 1/2, 1/4 and 1/8, the difference was 2.9, 2.4 and 4.0 levels on average, at most 13, 9 and 17 levels for 99 of
     * 100 values, and 53, 29 and 48 levels for the worst value. Decoding and resizing took 0.76 of the time at 1/2 and
     * 0.68 at 1/4. The pixels are the same for all kernels.
     *
     * @param image the checked image, which is {@link CheckedImage#reducible} unless {@code reduction} is 1
     * @param reduction 1 for all pixels; 2, 4 or 8 for that fraction of the height and width, rounded up
     * @param crop a rectangle within the reduced image
     * @param spare an array that the result may use if its length is exactly right
     * @throws MalformedImageException when the decoder finds damage
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
        if (!decoded && imageKernel != null) {
            decoded = imageKernel.decode(image.encoded(), image.header(), crop, pixels);
        }
        if (!decoded && image.header().converted()) {
            crop.copy(ByteBuffer.wrap(ConvertedPixels.decode(image, this::decodePart)), image.width(), pixels);
        } else if (!decoded) {
            openCv.decode(image, reduction, crop, pixels);
        }
        return Field.image(crop.height(), crop.width(), 3, pixels);
    }

    /**
     * Decodes a rectangle of a JPEG and resizes it in one step, in which each row is resized as soon as it is decoded.
     * The pixels are those of {@link #decode(CheckedImage, Crop, byte[])} followed by {@link Resampler#resize}.
     *
     * @param image the checked image
     * @param crop a rectangle within the image
     * @param resampler the resize
     * @param result the size of the result, and the order of its columns
     * @param spare an array that the result may use if its length is exactly right
     * @param place a picture of the result's size outside the Java heap, which then is the result; null for an array
     * @return the result; null if the kernels, the image or the resize need two steps
     */
    public @Nullable Resized decodeResized(
            CheckedImage image,
            Crop crop,
            Resampler resampler,
            Resampler.Result result,
            byte[] spare,
            @Nullable Field place) {
        requireWithin(crop, image.height(), image.width());
        if (jpegKernel == null || !image.partly()) {
            return null;
        }
        Resampler.Weights weights = resampler.weights(crop, result);
        if (weights == null) {
            return null;
        }
        int bytes = Math.multiplyExact(result.height(), 3 * result.width());
        Field picture = place != null
                ? place
                : Field.image(result.height(), result.width(), 3, spare.length == bytes ? spare : new byte[bytes]);
        long nanos = jpegKernel.decodeResized(
                image.encoded(), image.header(), crop, weights.across(), weights.down(), picture);
        return nanos < 0 ? null : new Resized(picture, nanos);
    }

    /**
     * A picture that was decoded and resized in one step.
     *
     * @param picture uint8, [height, width, 3]
     * @param resizeNanos the part of the time that the resize took
     */
    public record Resized(Field picture, long resizeNanos) {}

    static int reduced(int extent, int reduction) {
        return (extent + reduction - 1) / reduction;
    }

    private static void requireWithin(Crop crop, int height, int width) {
        if (!crop.within(height, width)) {
            throw new IllegalArgumentException(
                    "cannot decode crop " + crop + " of an image of " + height + "x" + width);
        }
    }

    /** Frees the scratch memory. The decoder can still be used, and then allocates new memory. */
    @Override
    public void close() {
        openCv.close();
    }
}
