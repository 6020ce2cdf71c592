package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors.Row;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegHeader;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageDecoderTest {
    private final ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE);

    @AfterEach
    void close() {
        decoder.close();
    }

    static List<Row> decoded() {
        return ImageVectors.table("decode.csv");
    }

    static List<Row> turned() {
        return ImageVectors.table("exif.csv");
    }

    @ParameterizedTest
    @MethodSource("decoded")
    void pixelsAreThoseOfPillow(Row row) throws Exception {
        Field image = decoder.decode(ImageVectors.file("decode/" + row.text("file")));
        assertThat(image.shape()).containsExactly(row.number("height"), row.number("width"), 3);
        assertThat(ImageVectors.sha256(image)).isEqualTo(row.text("sha256"));
    }

    @ParameterizedTest
    @MethodSource("turned")
    void orientationIsAppliedOnlyByUpright(Row row) throws Exception {
        byte[] encoded = ImageVectors.file("exif/" + row.text("file"));
        assertThat(decoder.check(encoded).orientation()).isEqualTo(row.number("orientation"));
        assertThat(ImageVectors.sha256(decoder.decode(encoded))).isEqualTo(row.text("stored"));
        Field upright = PixelOps.upright(decoder.decode(encoded), row.number("orientation"));
        assertThat(upright.shape()).containsExactly(row.number("height"), row.number("width"), 3);
        assertThat(ImageVectors.sha256(upright)).isEqualTo(row.text("upright"));
    }

    @ParameterizedTest
    @CsvSource({"jpg, rgb-quality75.jpg", "png, rgb.png", "tiff, rgb.tiff"})
    void colourProfilesAreIgnored(String kind, String without) throws Exception {
        byte[] profiled = ImageVectors.file("decode/profile." + kind);
        assertThat(new String(profiled, java.nio.charset.StandardCharsets.ISO_8859_1))
                .containsAnyOf("ICC_PROFILE", "iCCP", "acsp");
        assertThat(decoder.decode(profiled).data())
                .isEqualTo(
                        decoder.decode(ImageVectors.file("decode/" + without)).data());
    }

    @ParameterizedTest
    @CsvSource({
        "lossless.jpg, a lossless or hierarchical JPEG (SOF3)",
        "deep.jpg, a JPEG of 12 bits per channel",
        "largest0.pgm, a PNM whose largest value is 0 instead of 1 to 65535",
        "'jpeg.bmp', 'a BMP of 24 bits per pixel, compressed by method 4'",
        "'masks.bmp', 'a BMP of 16 bits per pixel with unknown masks Masks[red=3840, green=240, blue=15, alpha=0]'",
        "'lab.tiff', 'a TIFF of 3 samples of 8 bits (photometric interpretation 8, sample format 1, compression 1)'",
        "'signed.tiff', 'a TIFF of 1 samples of 8 bits (photometric interpretation 1, sample format 2, compression 1)'",
    })
    void imagesWhosePixelsWouldDifferFromPillowsAreRefused(String file, String reason) {
        assertThatThrownBy(() -> decoder.decode(ImageVectors.file("refused/" + file)))
                .isInstanceOf(MalformedImageException.class)
                .hasMessage("expected an image with 8-bit RGB pixels, found " + reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rgb420.jpg",
                "rgb420-progressive.jpg",
                "gray.jpg",
                "restarts.jpg",
                "rgb.png",
                "rgb.bmp",
                "palette.gif",
                "partial.gif",
                "interlaced.gif",
                "cmyk.jpg",
                "gray16.png",
                "rgba-lzw.tiff",
                "gray16.tiff",
                "565.bmp",
                "rle8.bmp",
                "depth10.pgm",
                "lossy.webp",
                "lossless.webp",
                "rgb.tiff",
                "lzw.tiff",
                "rgb.ppm",
                "gray.pgm"
            })
    void truncatedImagesAreMalformedWhereverTheyAreCut(String file) {
        byte[] whole = ImageVectors.file("decode/" + file);
        // The last byte of a GIF and the last word of a TIFF are not part of the image.
        for (int length = whole.length - 16; length > 0; length -= Math.max(1, whole.length / 60)) {
            byte[] truncated = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> decoder.decode(truncated), "%d of %d bytes", length, whole.length)
                    .isInstanceOf(MalformedImageException.class);
        }
    }

    @Test
    void jpegWithoutItsLastTwoBytesIsTruncatedWithTheOffset() {
        byte[] whole = ImageVectors.file("decode/rgb420.jpg");
        assertThatThrownBy(() -> decoder.decode(Arrays.copyOf(whole, whole.length - 2)))
                .isInstanceOfSatisfying(MalformedImageException.class, e -> assertThat(e.offset())
                        .isEqualTo(whole.length - 2))
                .hasMessage("truncated JPEG: expected the EOI marker (ff d9), found the end of the file at "
                        + (whole.length - 2));
    }

    @Test
    void failureShowsNoPixelsOfThePreviousImage() throws Exception {
        byte[] whole = ImageVectors.file("decode/lossy.webp");
        String expected = ImageVectors.sha256(decoder.decode(whole));
        assertThatThrownBy(() -> decoder.decode(ImageVectors.file("odd/lossy-cut.webp")))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageContaining("WEBP")
                .hasMessageContaining("24x24");
        assertThat(ImageVectors.sha256(decoder.decode(whole))).isEqualTo(expected);
    }

    @Test
    void emptyFileIsMalformed() {
        assertThatThrownBy(() -> decoder.decode(new byte[0]))
                .isInstanceOf(MalformedImageException.class)
                .hasMessage("expected an image, found an empty file");
    }

    @Test
    void textIsMalformedAndNamedButNotShown() {
        assertThatThrownBy(() ->
                        decoder.decode("<html>not found</html>".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageContaining("HTML")
                .hasMessageNotContainingAny("html>", "3c 68");
    }

    @Test
    void hugeHeaderIsRefusedBeforeAnythingIsAllocated() {
        byte[] huge = ImageVectors.file("decode/rgb420.jpg");
        int frame = frameHeader(huge);
        huge[frame + 5] = 30000 >> 8;
        huge[frame + 6] = (byte) 30000;
        huge[frame + 7] = 30000 >> 8;
        huge[frame + 8] = (byte) 30000;
        long before = allocatedBytes();
        assertThatThrownBy(() -> decoder.decode(huge))
                .isInstanceOf(MalformedImageException.class)
                .hasMessage("expected at most 64000000 pixels (max_pixels), found 30000x30000 = 900000000"
                        + " in the header");
        assertThat(allocatedBytes() - before).isLessThan(1 << 20);
    }

    @Test
    void tooManyEncodedBytesAreRefused() {
        try (ImageDecoder small = new ImageDecoder(new DecodeLimits(1000, 100), ImageIntegrity.STRUCTURE)) {
            assertThatThrownBy(() -> small.decode(new byte[101]))
                    .isInstanceOf(MalformedImageException.class)
                    .hasMessage("expected at most 100 encoded bytes (max_bytes), found 101");
        }
    }

    @Test
    void restartMarkerOutOfOrderIsDetectedWithItsOffsetByStructureAlone() {
        byte[] jpeg = ImageVectors.file("decode/restarts.jpg");
        int at = jpeg.length / 2;
        while (jpeg[at] != -1 || (jpeg[at + 1] & 0xf8) != 0xd0) {
            at++;
        }
        jpeg[at + 1] ^= 1;
        int place = at;
        try (ImageDecoder loose = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            assertThatThrownBy(() -> loose.decode(jpeg))
                    .isInstanceOfSatisfying(MalformedImageException.class, e -> assertThat(e.offset())
                            .isEqualTo(place))
                    .hasMessageContaining("found restart marker ff d");
        }
    }

    @Test
    void changedByteOfPngIsDetectedByItsChecksum() {
        byte[] changed = ImageVectors.file("decode/rgb.png");
        changed[changed.length / 2] ^= 1;
        assertThatThrownBy(() -> decoder.decode(changed))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageContaining("corrupt PNG: expected checksum")
                .hasMessageContaining("IDAT");
    }

    private static int frameHeader(byte[] jpeg) {
        for (int at = 2; ; at += 2 + (((jpeg[at + 2] & 255) << 8) | (jpeg[at + 3] & 255))) {
            if (JpegHeader.isFrame(jpeg[at + 1] & 255)) {
                return at;
            }
        }
    }

    private static long allocatedBytes() {
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }
}
