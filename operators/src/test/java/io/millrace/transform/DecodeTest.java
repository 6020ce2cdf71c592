package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.image.ImageVectors;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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
    void boxesPointsAndMasksAreTurnedUprightWithTheImage() throws Exception {
        Field masks = Field.of(DType.BOOL, new int[] {1, 37, 51}, new byte[37 * 51])
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Annotation.Form.MASKS, false, "boxes"));
        masks.data()[3 * 51 + 5] = 1;
        Map<String, Field> fields = new LinkedHashMap<>();
        fields.put(Sample.IMAGE, Field.encoded(ImageVectors.file("exif/6.jpg")));
        fields.put("boxes", AnnotationsTest.floats(new Annotation(Annotation.Form.XYWH, false, null), 4, 5, 3, 10, 4));
        fields.put("points", AnnotationsTest.floats(new Annotation(Annotation.Form.POINTS, false, "boxes"), 2, 5, 3));
        fields.put("masks", masks);
        Sample plain = TransformFixture.of("decode", Map.of()).apply(fields);
        assertThat(AnnotationsTest.numbers(plain.field("boxes"))).containsExactly(5, 3, 10, 4);

        Sample upright = TransformFixture.of("decode", Map.of("exif", true)).apply(fields);
        assertThat(AnnotationsTest.numbers(upright.field("boxes"))).containsExactly(37 - 3 - 4, 5, 4, 10);
        assertThat(AnnotationsTest.numbers(upright.field("points"))).containsExactly(36 - 3, 5);
        assertThat(upright.field("masks").shape()).containsExactly(1, 51, 37);
        assertThat(upright.field("masks").data()[5 * 37 + 36 - 3]).isEqualTo((byte) 1);
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

    private static final String AN_IMAGE = "an image (JPEG, PNG, BMP, GIF, WebP, TIFF or PNM)";

    private static Field bytes(String name, As as, String content) throws BadSampleException {
        byte[] value = content.getBytes(StandardCharsets.ISO_8859_1);
        return FieldValues.bytes(new FieldSource(name, "stored", as), value, new ValuePlace("shard", 0));
    }

    private static void assertBad(String stage, Map<String, Field> fields, String reason) {
        Map<String, Object> options = stage.equals("Resize") ? Map.of("size", 8L) : Map.of();
        assertThatThrownBy(() -> TransformFixture.of(stage, options).apply(fields))
                .isInstanceOf(BadSampleException.class)
                .hasMessage(reason);
    }

    @Test
    void bytesThatBeginLikeNoImageMakeABadSample() throws Exception {
        Field jpeg = Field.encoded(ImageVectors.file("decode/rgb420.jpg"));
        Field html = bytes("image", As.AUTO, "<html><body>Not found</body></html>");
        assertBad(
                "decode",
                Map.of("image", html),
                "expected " + AN_IMAGE + " as 'image', found 35 bytes that begin like HTML");
        assertBad(
                "decode",
                Map.of("image", html, "other", jpeg),
                "expected " + AN_IMAGE + " as 'image', found 35 bytes that begin like HTML");
        assertBad(
                "decode",
                Map.of("photo", bytes("photo", As.AUTO, "\0\0\0\34ftypavif\0\0\0\0avifmif1miaf")),
                "expected " + AN_IMAGE + " or a sound (WAV) as 'photo', found 28 bytes that begin like AVIF");
        assertBad(
                "decode",
                Map.of("audio", bytes("audio", As.RAGGED, "fLaC")),
                "expected " + AN_IMAGE + " or a sound (WAV) as 'audio', found 4 bytes that begin like FLAC");
        assertThat(TransformFixture.of("decode", Map.of())
                        .apply(Map.of("id", bytes("id", As.AUTO, "a-7"), "photo", jpeg))
                        .field("id")
                        .bytes())
                .isEqualTo(3);
    }

    @Test
    void numbersOrASoundInTheImageMakeABadSample() throws Exception {
        Field numbers = Field.of(DType.FLOAT32, new int[] {2}, new byte[8]);
        assertBad(
                "decode",
                Map.of("image", numbers),
                "decode expected a uint8 image [height, width, 1 or 3] in 'image', found FLOAT32[2]");
        assertBad(
                "Resize",
                Map.of("image", numbers),
                "Resize expected a uint8 image [height, width, 1 or 3] in 'image', found FLOAT32[2]");
    }

    @Test
    void pipelineWithoutImagesIsReportedAsAFaultOfThePipeline() throws Exception {
        for (String stage : List.of("decode", "Resize")) {
            Map<String, Object> options = stage.equals("Resize") ? Map.of("size", 8L) : Map.of();
            Map<String, Field> fields = Map.of("caption", bytes("caption", As.TEXT, "<html>"));
            assertThatThrownBy(() -> TransformFixture.of(stage, options).apply(fields))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(stage + " works on images, but sample photos/0.jpg has none, only [caption]");
        }
    }

    @Test
    void soundWithoutValuesIsBadUnlessItsLengthVaries() throws Exception {
        byte[] wav = Files.readAllBytes(Path.of("src/test/resources/vectors/audio/pcm16-stereo.wav"));
        byte[] empty = Arrays.copyOf(wav, 44);
        Arrays.fill(empty, 40, 44, (byte) 0);
        assertBad(
                "decode",
                Map.of("audio", Field.encoded(empty).as(FieldKind.TENSOR)),
                "expected at least one value per channel in a WAV file, found none");
        Field ragged = TransformFixture.of("decode", Map.of())
                .apply(Map.of("audio", Field.encoded(empty).as(FieldKind.RAGGED)))
                .field("audio");
        assertThat(ragged.shape()).containsExactly(0, 2);
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
