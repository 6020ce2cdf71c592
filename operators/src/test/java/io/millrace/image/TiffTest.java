package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Mutation;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of TIFFs with the vectors that {@code src/test/python/tiff_vectors.py} made. */
class TiffTest {
    private static final String FOLDER = "/vectors/tiff/";
    private static final DecodeLimits SMALL = new DecodeLimits(1_000_000, 1_000_000);
    private static final Duration MOST_TIME = Duration.ofSeconds(10);

    private final ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE);

    @AfterEach
    void close() {
        decoder.close();
    }

    static List<Row> decoded() {
        return ImageVectors.tableAt(FOLDER + "decode.csv");
    }

    private static byte[] file(String name) {
        return ImageVectors.file("../tiff/" + name);
    }

    @ParameterizedTest
    @MethodSource("decoded")
    void pixelsAreThoseOfPillow(Row row) throws Exception {
        Field image = decoder.decode(file(row.text("file")));
        assertThat(image.shape()).containsExactly(row.number("height"), row.number("width"), 3);
        assertThat(ImageVectors.sha256(image)).isEqualTo(row.text("sha256"));
    }

    @ParameterizedTest
    @MethodSource("decoded")
    void imageWithATenthOfZerosIsRefusedOrEqualToPillowsOrToTheUndamagedImage(Row row) {
        String name = row.text("file");
        Map<Integer, String> pillow = new HashMap<>();
        for (Row damaged : ImageVectors.tableAt(FOLDER + "damage.csv")) {
            if (damaged.text("file").equals(name)) {
                pillow.put(damaged.number("tenth"), damaged.text("sha256"));
            }
        }
        byte[] whole = file(name);
        for (int tenth = 0; tenth < 10; tenth++) {
            byte[] damaged = whole.clone();
            Arrays.fill(damaged, whole.length * tenth / 10, whole.length * (tenth + 1) / 10, (byte) 0);
            assertThat(outcome(decoder, damaged))
                    .as("tenth %d", tenth)
                    .isIn("refused", row.text("sha256"), pillow.getOrDefault(tenth, "refused"));
        }
    }

    @ParameterizedTest
    @MethodSource("decoded")
    void imageThatIsCutIsRefusedUnlessOnlyIgnoredPlanesAreMissing(Row row) {
        byte[] whole = file(row.text("file"));
        for (int tenth = 0; tenth < 10; tenth++) {
            byte[] cut = Arrays.copyOf(whole, whole.length * tenth / 10);
            boolean ignored = tenth > 7 && row.text("file").endsWith("unspecified-separate.tif");
            assertThat(outcome(decoder, cut)).as("tenth %d", tenth).isEqualTo(ignored ? row.text("sha256") : "refused");
        }
    }

    /** Returns the digest of the pixels, or {@code refused}. */
    private static String outcome(ImageDecoder decoder, byte[] encoded) {
        try {
            return ImageVectors.sha256(decoder.decode(encoded));
        } catch (MalformedImageException e) {
            assertThat(e.reason()).isNotBlank();
            return "refused";
        }
    }

    @ParameterizedTest
    @CsvSource({
        "259, 6, a TIFF with compression 6 (old-style JPEG)",
        "259, 34712, a TIFF with compression 34712 (JPEG 2000)",
        "259, 34887, a TIFF with compression 34887 (LERC)",
        "259, 34925, a TIFF with compression 34925 (LZMA)",
        "259, 50001, a TIFF with compression 50001 (WebP)",
        "259, 50002, a TIFF with compression 50002 (JPEG XL)",
        "259, 12345, a TIFF with compression 12345",
        "317, 3, a TIFF of 8 bits with predictor 3",
        "317, 9, a TIFF of 8 bits with predictor 9",
    })
    void unsupportedImageIsRefusedWithItsReason(int tag, int value, String reason) {
        assertThatThrownBy(() -> decoder.decode(with(tag, value)))
                .isInstanceOf(MalformedImageException.class)
                .hasMessage("expected an image with 8-bit RGB pixels, found " + reason + ", which is not supported");
    }

    @ParameterizedTest
    @CsvSource({
        "278, 0, expected strips of at least 1 row",
        "278, 1, 'expected the offsets of 21 strips, found 1'",
        "277, 5, a TIFF of 5 samples whose numbers of bits differ or are missing",
        "284, 3, expected 1 or 2 in tag 284",
        "273, 4000000000, bytes of a strip or tile at offset 4000000000",
        "273, 0, bytes of a strip or tile at offset 0",
        "279, 4000000000, expected 4000000000 bytes of a strip or tile",
        "256, 2000, expected more pixels in a strip or tile",
        "257, 2000, 'expected the offsets of 96 strips, found 1'",
        "322, 16, 'expected tiles that are not far larger than the image of 37x21, found 16x0'",
    })
    void inconsistentTagsAreMalformed(int tag, long value, String reason) {
        assertThatThrownBy(() -> decoder.decode(with(tag, value)))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageContaining(reason);
    }

    /** Returns an image in one strip with Deflate, and with another value of a tag. A tag that is missing replaces tag 317. */
    private static byte[] with(int tag, long value) {
        byte[] tiff = file("one-strip.tif");
        ByteBuffer bytes = ByteBuffer.wrap(tiff).order(ByteOrder.LITTLE_ENDIAN);
        boolean found = false;
        for (int i = 0; i < bytes.getShort(8); i++) {
            int entry = 10 + 12 * i;
            int here = bytes.getShort(entry) & 0xffff;
            if (here == tag || (!found && here == 317 && tag > 317)) {
                bytes.putShort(entry, (short) tag)
                        .putShort(entry + 2, (short) 4)
                        .putInt(entry + 4, 1);
                bytes.putInt(entry + 8, (int) value);
                found = true;
            }
        }
        assertThat(found).isTrue();
        return tiff;
    }

    @Test
    void stripThatRepeatsAnotherOneIsDecoded() throws Exception {
        byte[] tiff = file("rgb-none-strips.tif");
        ByteBuffer bytes = ByteBuffer.wrap(tiff).order(ByteOrder.LITTLE_ENDIAN);
        int entry = 10;
        while (bytes.getShort(entry) != 273) {
            entry += 12;
        }
        int offsets = bytes.getInt(entry + 8);
        bytes.putInt(offsets + 4, bytes.getInt(offsets));
        Field image = decoder.decode(tiff);
        int strip = 6 * 3 * image.width();
        assertThat(Arrays.copyOfRange(image.data(), strip, 2 * strip)).isEqualTo(Arrays.copyOf(image.data(), strip));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rgb-deflate-strips.tif", "jpeg.tif", "ycbcr22-tiles.tif", "rgba8-alpha-separate.tif"})
    void rectangleHasThePixelsOfTheWholeImage(String name) throws Exception {
        byte[] tiff = file(name);
        Field whole = decoder.decode(tiff);
        Crop crop = new Crop(3, 5, 11, 20);
        Field part = decoder.decode(decoder.check(tiff), crop, new byte[0]);
        assertThat(part.data()).isEqualTo(PixelOps.crop(whole, crop, 0).data());
    }

    @Test
    void damagedImagesAreDecodedOrRefusedByAllKernels() {
        for (Row row : decoded()) {
            byte[] original = file(row.text("file"));
            for (int seed = 0; seed < 1 + Mutation.CASES / decoded().size(); seed++) {
                byte[] damaged = Mutation.mutate(original, new Random(seed));
                long start = System.nanoTime();
                String first = "";
                for (Kernels kernels : KernelChoice.available()) {
                    try (ImageDecoder each = new ImageDecoder(SMALL, ImageIntegrity.STRUCTURE, kernels)) {
                        String outcome = outcome(each, damaged);
                        assertThat(outcome).as("%s, seed %d", row, seed).isEqualTo(first.isEmpty() ? outcome : first);
                        first = outcome;
                    }
                }
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as("%s, seed %d", row, seed)
                        .isLessThan(MOST_TIME);
            }
        }
    }
}
