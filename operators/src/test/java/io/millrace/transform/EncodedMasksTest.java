package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** Tests of pictures of ids, from which {@code decode} makes the masks of objects. */
class EncodedMasksTest {
    private static final int HEIGHT = 21;
    private static final int WIDTH = 35;

    private static Field ids(byte[] png, int least, int most) {
        return Field.encoded(png)
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Form.MASKS, false, null).withIds(new Annotation.Ids(least, most)));
    }

    private static Sample decoded(Sample sample) throws Exception {
        TransformFixture.create("decode", Map.of("exif", true)).apply(sample, new SampleRandom(5, 1).reset(0, 0));
        return sample;
    }

    /** Returns a gray PNG of 16 bits. */
    private static byte[] wide(int[] values, int width) throws Exception {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(rows)) {
            for (int i = 0; i < values.length; i++) {
                if (i % width == 0) {
                    deflater.write(0);
                }
                deflater.write(values[i] >> 8);
                deflater.write(values[i]);
            }
        }
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        png.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
        chunk(
                png,
                "IHDR",
                ByteBuffer.allocate(13)
                        .putInt(width)
                        .putInt(values.length / width)
                        .put(new byte[] {16, 0, 0, 0, 0})
                        .array());
        chunk(png, "IDAT", rows.toByteArray());
        chunk(png, "IEND", new byte[0]);
        return png.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream png, String type, byte[] data) {
        ByteBuffer chunk = ByteBuffer.allocate(12 + data.length).putInt(data.length);
        chunk.put(type.getBytes(StandardCharsets.US_ASCII)).put(data);
        CRC32 crc = new CRC32();
        crc.update(chunk.array(), 4, 4 + data.length);
        png.writeBytes(chunk.putInt((int) crc.getValue()).array());
    }

    @Test
    void idsOfAPaletteBecomeMasksThatMoveWithThePicture() throws Exception {
        byte[] png = ImageVectors.file("mask/palette4.png");
        Sample sample = decoded(new Sample(0, "a", 0)
                .put("masks", ids(png, 1, 255))
                .put("classes", Field.encoded(png).as(FieldKind.MASK))
                .put(Sample.IMAGE, Field.encoded(ImageVectors.file("mask/photo.jpg"))));
        assertThat(sample.field("masks").shape()).containsExactly(15, HEIGHT, WIDTH);
        TransformFixture.create("RandomResizedCrop", Map.of("size", 20L))
                .apply(sample, new SampleRandom(5, 1).reset(0, 0));
        Field masks = sample.field("masks");
        byte[] classes = sample.field("classes").data();
        assertThat(masks.dtype()).isEqualTo(DType.BOOL);
        assertThat(masks.shape()).containsExactly(15, 20, 20);
        assertThat(masks.annotation()).isEqualTo(new Annotation(Form.MASKS, false, null));
        for (int object = 0; object < 15; object++) {
            byte[] expected = new byte[classes.length];
            for (int i = 0; i < expected.length; i++) {
                expected[i] = (byte) (classes[i] == object + 1 ? 1 : 0);
            }
            assertThat(Arrays.copyOfRange(masks.data(), object * 400, (object + 1) * 400))
                    .isEqualTo(expected);
        }
    }

    @Test
    void idsOf16BitsAreReadAndThoseOutsideOfTheRangeAreNoObjects() throws Exception {
        byte[] png = wide(new int[] {0, 7, 26001, 26000, 26001, 65535}, 3);
        Sample sample = decoded(new Sample(0, "a", 0).put("masks", ids(png, 1000, 65534)));
        assertThat(sample.field("masks").shape()).containsExactly(2, 2, 3);
        assertThat(sample.field("masks").data()).containsExactly(0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0);
    }

    @Test
    void otherPicturesAreBadSamples() {
        for (String name : new String[] {"mask/photo.jpg", "decode/rgb420.jpg"}) {
            assertThatThrownBy(() -> decoded(new Sample(0, "a", 0).put("masks", ids(ImageVectors.file(name), 1, 9))))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(
                            "the picture of ids 'masks': expected a PNG with a palette or in gray; found a JPEG of 3 channels");
        }
        assertThatThrownBy(() -> decoded(new Sample(0, "a", 0).put("masks", ids(new byte[] {1, 2, 3}, 1, 9))))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("the picture of ids 'masks': ");
    }

    @Test
    void masksOfAnotherSizeThanATurnedPictureAreABadSample() {
        Field masks = Field.of(DType.BOOL, new int[] {1, 3, 4}, new byte[12])
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Form.MASKS, false, null));
        assertThatThrownBy(() -> decoded(new Sample(0, "a", 0)
                        .put(Sample.IMAGE, Field.encoded(ImageVectors.file("mask/photo.jpg")))
                        .put("masks", masks)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining(
                        "decode expected masks of the size of the pictures, [21, 35], in 'masks', found BOOL[1, 3, 4]");
    }
}
