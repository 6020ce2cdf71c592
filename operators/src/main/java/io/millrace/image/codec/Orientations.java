package io.millrace.image.codec;

import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The rule that decides the orientation of an image, the same as that of {@code ImageOps.exif_transpose} of Pillow 12.3: the
 * EXIF block counts if it has the tag, and otherwise the first {@code tiff:Orientation} of the XMP packet. An orientation that
 * is not one of 2 to 8 leaves the image as it is. Where Pillow raises an exception, because the EXIF block is damaged, the
 * image stays as it is, too.
 */
final class Orientations {
    /** The orientation of an image that is stored upright. */
    static final int UPRIGHT = 1;

    private static final byte[] XMP_TAG = "tiff:Orientation".getBytes(StandardCharsets.US_ASCII);

    private Orientations() {}

    /**
     * Returns the orientation of an image, 1 to 8.
     *
     * @param encoded the whole file, whose header has been read
     * @throws MalformedImageException when a tag of a TIFF that states it is damaged
     */
    static int of(ImageFormat format, byte[] encoded) throws MalformedImageException {
        return switch (format) {
            case JPEG -> JpegMetadata.orientation(encoded);
            case PNG -> PngMetadata.orientation(encoded);
            case WEBP -> WebpMetadata.orientation(encoded);
            case TIFF -> ofTiff(encoded);
            case BMP, GIF, PNM -> UPRIGHT;
        };
    }

    /** Reads a TIFF, which has the layout of an EXIF block. Only the directory of a BigTIFF differs. */
    private static int ofTiff(byte[] file) throws MalformedImageException {
        TiffDirectory tags = new TiffDirectory(new HeaderBytes(file, "TIFF"));
        if (tags.big()) {
            return tags.has(TiffDirectory.ORIENTATION)
                    ? valid(tags.value(TiffDirectory.ORIENTATION, 0))
                    : valid(inPacket(tags.bytes(TiffDirectory.XMP)));
        }
        OptionalInt stated = ExifBlock.orientation(file);
        return valid(stated.isPresent() ? stated.getAsInt() : inPacket(tags.bytes(TiffDirectory.XMP)));
    }

    /**
     * Returns the orientation, 1 to 8.
     *
     * @param exif the EXIF block; null when the image has none
     * @param xmp the XMP packet; null when the image has none
     */
    static int of(byte @Nullable [] exif, byte @Nullable [] xmp) {
        OptionalInt stated = exif == null ? OptionalInt.empty() : ExifBlock.orientation(exif);
        return valid(stated.isPresent() ? stated.getAsInt() : xmp == null ? UPRIGHT : inPacket(xmp));
    }

    private static int valid(long stated) {
        return stated >= 1 && stated <= 8 ? (int) stated : UPRIGHT;
    }

    /** Returns the digit after the first {@code tiff:Orientation="} or {@code tiff:Orientation>}. */
    private static int inPacket(byte[] xmp) {
        for (int at = 0; at + XMP_TAG.length + 2 <= xmp.length; at++) {
            if (xmp[at] == 't' && startsWith(xmp, at)) {
                int next = at + XMP_TAG.length;
                int digit = xmp[next] == '>' ? next + 1 : xmp[next] == '=' && xmp[next + 1] == '"' ? next + 2 : -1;
                if (digit > 0 && digit < xmp.length && xmp[digit] >= '0' && xmp[digit] <= '9') {
                    return xmp[digit] - '0';
                }
            }
        }
        return UPRIGHT;
    }

    private static boolean startsWith(byte[] xmp, int at) {
        for (int i = 0; i < XMP_TAG.length; i++) {
            if (xmp[at + i] != XMP_TAG[i]) {
                return false;
            }
        }
        return true;
    }
}
