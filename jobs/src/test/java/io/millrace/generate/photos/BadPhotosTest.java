package io.millrace.generate.photos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.generate.Generation;
import io.millrace.generate.Generation.BadFile;
import io.millrace.generate.ProgressListener;
import io.millrace.image.ImageDecoder;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BadPhotosTest {
    private static final ImageSize SIZE = new ImageSize(320, 240);
    private static PhotoStudio studio;

    @BeforeAll
    static void open() {
        studio = new PhotoStudio(1, 10, SIZE, 90);
    }

    @AfterAll
    static void close() {
        studio.close();
    }

    private static byte[] make(BadKind kind) throws IOException {
        return BadPhotos.make(kind, studio, 3);
    }

    @Test
    void aTruncatedFileEndsInTheEntropyCodedData() throws IOException {
        byte[] sound = studio.photograph(3);
        byte[] bad = make(BadKind.TRUNCATED);
        assertThat(sound).startsWith(bad);
        assertThat(bad.length).isBetween(JpegBytes.pixels(sound) + 100, sound.length - 100);
    }

    @Test
    void aCorruptFileDiffersOnlyInTheMiddleOfTheEntropyCodedData() throws IOException {
        byte[] sound = studio.photograph(3);
        byte[] bad = make(BadKind.CORRUPT);
        assertThat(bad).hasSameSizeAs(sound);
        int first = 0;
        int different = 0;
        for (int i = sound.length - 1; i >= 0; i--) {
            if (sound[i] != bad[i]) {
                first = i;
                different++;
            }
        }
        assertThat(first).isGreaterThan(JpegBytes.pixels(sound));
        assertThat(different).isBetween(2000, 2048);
    }

    @Test
    void anEmptyFileHasNoBytesAndATextFileIsText() throws IOException {
        assertThat(make(BadKind.EMPTY)).isEmpty();
        assertThat(new String(make(BadKind.WRONG_EXTENSION), StandardCharsets.US_ASCII))
                .startsWith("This is text");
    }

    @Test
    void aTwelveBitFileDiffersFromAGoodPhotoOnlyInItsHeader() throws IOException {
        byte[] sound = studio.photograph(3);
        byte[] bad = make(BadKind.TWELVE_BITS);
        int precision = JpegBytes.segment(sound, JpegBytes.SOF0) + 4;
        assertThat(bad[precision]).isEqualTo((byte) 12);
        bad[precision] = sound[precision];
        assertThat(bad).isEqualTo(sound);
    }

    @Test
    void aHugeHeaderDeclaresMorePixelsThanTheSmallFileHas() throws IOException {
        byte[] bad = make(BadKind.HUGE_HEADER);
        int frame = JpegBytes.segment(bad, JpegBytes.SOF0);
        int claimed = 30_000;
        for (int at = frame + 5; at < frame + 9; at += 2) {
            assertThat(((bad[at] & 0xff) << 8) | (bad[at + 1] & 0xff)).isEqualTo(claimed);
        }
        assertThat(bad).hasSizeLessThan(2000);
    }

    @Test
    void everyKindIsRefusedByADecoderThatChecksOnlyTheStructure() throws IOException {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            for (BadKind kind : BadKind.values()) {
                for (long index = 0; index < 30; index++) {
                    byte[] bad = BadPhotos.make(kind, studio, index);
                    assertThatThrownBy(() -> decoder.decode(bad))
                            .as("%s of image %d", kind, index)
                            .isInstanceOf(MalformedImageException.class);
                }
            }
        }
    }

    @Test
    void kindsAndClassesAlternateAndAllFilesAreListed(@TempDir Path folder) throws IOException {
        PhotosGenerator generator = new PhotosGenerator();
        OptionValues values =
                OptionValues.of(generator.options(), Map.of("count", 4L, "classes", 4L, "size", "64x48", "bad", 7L));
        Generation generation = generator.draw(values, folder, 2, ProgressListener.silent());
        assertThat(generation.bad())
                .containsExactly(
                        new BadFile("meadow/bad-truncated-0.jpg", "truncated"),
                        new BadFile("desert/bad-corrupt-1.jpg", "corrupt"),
                        new BadFile("forest/bad-empty-2.jpg", "empty"),
                        new BadFile("mountain/bad-wrong-extension-3.jpg", "wrong-extension"),
                        new BadFile("meadow/bad-twelve-bits-4.jpg", "twelve-bits"),
                        new BadFile("desert/bad-huge-header-5.jpg", "huge-header"),
                        new BadFile("forest/bad-truncated-6.jpg", "truncated"));
        assertThat(generation.bad()).allMatch(bad -> Files.isRegularFile(folder.resolve(bad.file())));
        assertThat(generation.samples()).isEqualTo(4);
    }
}
