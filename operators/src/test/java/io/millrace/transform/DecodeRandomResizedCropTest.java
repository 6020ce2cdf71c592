package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.ImageDecoder;
import io.millrace.image.ImageVectors;
import io.millrace.image.Interpolation;
import io.millrace.image.PixelOps;
import io.millrace.image.Resampler;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecodeRandomResizedCropTest {
    private static final Pattern DRAWN = Pattern.compile("crop (\\d+),(\\d+) (\\d+)x(\\d+), (flipped|as is)");

    @ParameterizedTest
    @ValueSource(strings = {"rgb420.jpg", "rgb444.jpg", "gray.jpg", "rgb420-progressive.jpg", "rgb.png", "lossy.webp"})
    void pixelsAreThoseOfTheThreeStages(String file) throws Exception {
        byte[] encoded = ImageVectors.file("decode/" + file);
        TransformFixture fused = TransformFixture.of(
                "DecodeRandomResizedCrop", Map.of("size", List.of(20L, 31L), "flip", 0.5, "interpolation", "bicubic"));
        Resampler resampler = new Resampler(Interpolation.BICUBIC);
        Set<String> flips = new HashSet<>();
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            for (int i = 0; i < 30; i++) {
                Field result = fused.apply(Field.encoded(encoded));
                Matcher drawn = DRAWN.matcher(fused.drawn());
                assertThat(drawn.matches()).isTrue();
                Crop crop = new Crop(number(drawn, 1), number(drawn, 2), number(drawn, 3), number(drawn, 4));
                Field expected = resampler.resize(decoder.decode(encoded), crop, 20, 31);
                if (drawn.group(5).equals("flipped")) {
                    PixelOps.mirrorColumns(expected);
                }
                flips.add(drawn.group(5));
                assertThat(result.shape()).containsExactly(20, 31, 3);
                assertThat(result.data()).isEqualTo(expected.data());
            }
        }
        assertThat(flips).hasSize(2);
    }

    @Test
    void cropsAreThoseOfRandomResizedCrop() throws Exception {
        byte[] encoded = ImageVectors.file("decode/rgb420.jpg");
        TransformFixture fused = TransformFixture.of("DecodeRandomResizedCrop", Map.of("size", 8L));
        TransformFixture apart = TransformFixture.of("RandomResizedCrop", Map.of("size", 8L));
        for (int i = 0; i < 20; i++) {
            fused.apply(Field.encoded(encoded));
            apart.apply(TransformFixture.noise(37, 51, 3));
            assertThat(fused.drawn()).isEqualTo(apart.drawn() + ", as is");
        }
    }

    @Test
    void damagedFileIsMalformedWhereverTheDamageIs() {
        byte[] encoded = ImageVectors.file("decode/rgb420.jpg");
        byte[] truncated = Arrays.copyOf(encoded, encoded.length - 2);
        TransformFixture fused =
                TransformFixture.of("DecodeRandomResizedCrop", Map.of("size", 8L, "scale", List.of(0.08, 0.1)));
        assertThatThrownBy(() -> fused.apply(Field.encoded(truncated)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageStartingWith("truncated JPEG");
    }

    @Test
    void pixelsAreRefusedWithWhatToUse() {
        TransformFixture fused = TransformFixture.of("DecodeRandomResizedCrop", Map.of("size", 8L));
        assertThatThrownBy(() -> fused.apply(TransformFixture.noise(9, 9, 3)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("use RandomResizedCrop and RandomHorizontalFlip");
    }

    private static int number(Matcher drawn, int group) {
        return Integer.parseInt(drawn.group(group));
    }
}
