package io.millrace.image;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.image.codec.PngPixels;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;

/**
 * A decoder of masks, which are images whose values are class numbers. The class numbers are the indexes of a palette
 * PNG or the values of a gray PNG, as {@code numpy.array(Image.open(...))} returns them with Pillow. Other formats are
 * refused, because colours are not class numbers, and lossy formats would invent classes. Stateless.
 */
public final class MaskDecoder {
    private MaskDecoder() {}

    /**
     * Decodes a mask.
     *
     * @param image the checked image
     * @return uint8, [height, width, 1], a {@link FieldKind#MASK} in an array of its own
     * @throws MalformedImageException when the image is not a gray or palette PNG of at most 8 bits, or is damaged
     */
    public static Field decode(CheckedImage image) throws MalformedImageException {
        ImageHeader header = image.header();
        if (header.format() != ImageFormat.PNG || header.channels() != 1 || header.bitDepth() > Byte.SIZE) {
            throw new MalformedImageException(
                    -1,
                    "expected a mask: a PNG with a palette or in gray, of at most 8 bits; found a " + header.format()
                            + " of " + header.channels() + " channels of " + header.bitDepth() + " bits");
        }
        byte[] classes = PngPixels.samples(image);
        int factor = isGray(image.encoded()) ? grayFactor(header.bitDepth()) : 1;
        for (int i = 0; factor > 1 && i < classes.length; i++) {
            classes[i] *= (byte) factor;
        }
        return Field.image(header.height(), header.width(), 1, classes).as(FieldKind.MASK);
    }

    /**
     * Decodes a picture of ids, in which each object has a value of its own.
     *
     * @param image the checked image
     * @return uint8 or uint16, [height, width, 1]
     * @throws MalformedImageException when the image is not a gray or palette PNG, or is damaged
     */
    public static Field ids(CheckedImage image) throws MalformedImageException {
        ImageHeader header = image.header();
        if (header.format() != ImageFormat.PNG || header.channels() != 1) {
            throw new MalformedImageException(
                    -1,
                    "expected a PNG with a palette or in gray; found a " + header.format() + " of " + header.channels()
                            + " channels");
        }
        return header.bitDepth() <= Byte.SIZE
                ? decode(image)
                : Field.of(DType.UINT16, new int[] {header.height(), header.width(), 1}, PngPixels.wideSamples(image));
    }

    /**
     * Returns whether the PNG is gray. The colour type follows the width, the height and the depth in IHDR, the first
     * chunk.
     */
    private static boolean isGray(byte[] png) {
        return png[25] == 0;
    }

    /**
     * Returns the factor of gray values. Pillow opens gray of 2 and 4 bits as 8 bits, so that white stays white. It
     * opens gray of 1 bit as false and true.
     */
    private static int grayFactor(int bits) {
        return switch (bits) {
            case 2 -> 85;
            case 4 -> 17;
            default -> 1;
        };
    }
}
