package io.millrace.image;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;

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
        BufferedImage decoded = read(image.encoded());
        int height = header.height();
        int width = header.width();
        if (decoded.getWidth() != width || decoded.getHeight() != height) {
            throw new MalformedImageException(
                    -1,
                    "corrupt PNG: expected " + width + "x" + height + " pixels as stated in its header, found "
                            + decoded.getWidth() + "x" + decoded.getHeight());
        }
        int factor = decoded.getColorModel() instanceof IndexColorModel && !isGray(image.encoded())
                ? 1
                : grayFactor(header.bitDepth());
        Raster raster = decoded.getRaster();
        byte[] classes = new byte[height * width];
        int[] row = new int[width];
        for (int y = 0; y < height; y++) {
            raster.getSamples(0, y, width, 1, 0, row);
            for (int x = 0; x < width; x++) {
                classes[y * width + x] = (byte) (row[x] * factor);
            }
        }
        return Field.image(height, width, 1, classes).as(FieldKind.MASK);
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

    private static BufferedImage read(byte[] encoded) throws MalformedImageException {
        ImageReader reader = ImageIO.getImageReadersByFormatName("png").next();
        try (MemoryCacheImageInputStream input = new MemoryCacheImageInputStream(new ByteArrayInputStream(encoded))) {
            reader.setInput(input, true, true);
            return reader.read(0);
        } catch (IOException | RuntimeException e) { // the reader indexes arrays with values from the file
            MalformedImageException malformed =
                    new MalformedImageException(-1, "corrupt PNG: expected a complete mask, found: " + e.getMessage());
            malformed.initCause(e);
            throw malformed;
        } finally {
            reader.dispose();
        }
    }
}
