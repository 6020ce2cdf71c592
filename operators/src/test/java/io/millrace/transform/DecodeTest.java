package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecodeTest {
    @Test
    void encodedImageBecomesPixels() throws Exception {
        Field image =
                TransformFixture.of("decode", Map.of()).apply(Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
        assertThat(image.shape()).containsExactly(37, 51, 3);
    }

    @Test
    void decodedImagePassesUnchanged() throws Exception {
        Field image = TransformFixture.noise(4, 5, 1);
        assertThat(TransformFixture.of("decode", Map.of()).apply(image)).isSameAs(image);
    }

    @Test
    void orientationIsAppliedIfTheOptionIsSet() throws Exception {
        byte[] encoded = ImageVectors.file("exif/6.jpg");
        assertThat(TransformFixture.of("decode", Map.of())
                        .apply(Field.encoded(encoded))
                        .shape())
                .containsExactly(37, 51, 3);
        assertThat(TransformFixture.of("decode", Map.of("exif", true))
                        .apply(Field.encoded(encoded))
                        .shape())
                .containsExactly(51, 37, 3);
    }

    @Test
    void exceptionForABadFileContainsTheSampleAndTheOffset() {
        byte[] text = "no image".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> TransformFixture.of("decode", Map.of()).apply(Field.encoded(text)))
                .isInstanceOfSatisfying(BadSampleException.class, e -> {
                    assertThat(e.file()).isEqualTo("photos/0.jpg");
                    assertThat(e.offset()).isZero();
                })
                .hasMessageStartingWith("expected the first bytes of a JPEG");
    }

    @Test
    void imageAboveTheLimitMakesABadSample() {
        assertThatThrownBy(() -> TransformFixture.of("decode", Map.of("max_pixels", 1000L))
                        .apply(Field.encoded(ImageVectors.file("decode/rgb420.jpg"))))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("at most 1000 pixels (max_pixels)")
                .hasMessageContaining("51x37 = 1887");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Resize",
                "CenterCrop",
                "RandomCrop",
                "RandomResizedCrop",
                "RandomHorizontalFlip",
                "RandomVerticalFlip",
                "RandomMask"
            })
    void transformBeforeDecodeReportsThatDecodeIsMissing(String name) {
        Map<String, Object> options = name.endsWith("Flip") || name.endsWith("Mask") ? Map.of() : Map.of("size", 8L);
        assertThatThrownBy(() -> TransformFixture.of(name, options).apply(Field.encoded(new byte[3])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(name + " works on pixels, but ")
                .hasMessageEndingWith(" of photos/0.jpg is still encoded: 'decode' is missing before " + name);
    }

    @Test
    void soundBecomesAWaveform() throws Exception {
        byte[] wav = Files.readAllBytes(Path.of("src/test/resources/vectors/audio/pcm16-stereo.wav"));
        Sample sample = new Sample(0, "clip", 0)
                .placeAt(0, 0, Split.TRAIN)
                .put("audio", Field.encoded(wav).as(FieldKind.TENSOR))
                .put("clip", Field.encoded(wav.clone()).as(FieldKind.RAGGED));
        new TransformSpec("decode", OptionValues.none()).create().apply(sample, new SampleRandom(1, 0).reset(0, 0));
        assertThat(sample.field("audio").dtype()).isEqualTo(DType.FLOAT32);
        assertThat(sample.field("audio").shape()).containsExactly(2, 50);
        assertThat(sample.field("clip").shape()).containsExactly(50, 2);
        assertThat(sample.field("clip").kind()).isEqualTo(FieldKind.RAGGED);
    }

    @Test
    void truncatedSoundMakesABadSample() throws Exception {
        byte[] wav = Files.readAllBytes(Path.of("src/test/resources/vectors/audio/pcm8-mono.wav"));
        Sample sample = new Sample(0, "clip", 0)
                .placeAt(0, 0, Split.TRAIN)
                .put("audio", Field.encoded(Arrays.copyOf(wav, 60)).as(FieldKind.TENSOR));
        Transform decode = new TransformSpec("decode", OptionValues.none()).create();
        assertThatThrownBy(() -> decode.apply(sample, new SampleRandom(1, 0).reset(0, 0)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageStartingWith("truncated WAV: expected 37 bytes of chunk 'data' at offset 44");
    }
}
