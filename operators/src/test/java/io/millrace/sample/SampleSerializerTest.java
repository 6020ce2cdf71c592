package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.testutils.DeeplyEqualsChecker;
import org.junit.jupiter.api.Test;

/** Tests of the serializer: Flink's own suite, and the stored form of version 1, which must never change. */
class SampleSerializerTest extends SerializerTestBase<Sample> {
    private static final String VERSION_1 = "0000000000000007" + "fffffffffffffffe" + "0000000000000101" + "00000003"
            + "01" + "00000003" + "c3a52f" + "00" + "00000001" + "00000005" + "696d61676500" + "01" + "03" + "00000001"
            + "00000002" + "00000001" + "00000002" + "ff10";

    SampleSerializerTest() {
        super(new DeeplyEqualsChecker()
                .withCustomCheck(
                        (a, b) -> a instanceof Sample && b instanceof Sample,
                        (a, b, checker) -> describe((Sample) a).equals(describe((Sample) b))));
    }

    /** Returns the whole content of a sample as text. */
    static String describe(Sample sample) {
        StringBuilder text = new StringBuilder();
        text.append(sample.index()).append('|').append(sample.key()).append('|').append(sample.label());
        text.append('|').append(sample.position()).append('|').append(sample.epoch());
        text.append('|').append(sample.split()).append('|').append(sample.badSample());
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            text.append('|')
                    .append(name)
                    .append(field)
                    .append(Arrays.toString(field.data()))
                    .append(field.annotation());
        }
        return text.toString();
    }

    @Override
    protected TypeSerializer<Sample> createSerializer() {
        return SampleSerializer.INSTANCE;
    }

    @Override
    protected int getLength() {
        return -1;
    }

    @Override
    protected Class<Sample> getTypeClass() {
        return Sample.class;
    }

    @Override
    protected Sample[] getTestData() {
        Sample bare = new Sample(0, "", 0);
        Sample photo = new Sample(1L << 39, "cat/ä.jpg", 9)
                .placeAt(Long.MAX_VALUE - 1, 3, Split.EVALUATE)
                .put(Sample.IMAGE, Field.encoded(new byte[] {-1, -40, 0}));
        Sample several = new Sample(5, "k", -7)
                .placeAt(12, 0, Split.TRAIN)
                .put(Sample.IMAGE, Field.image(2, 2, 3, new byte[12]))
                .put("mask", Field.image(2, 2, 1, new byte[] {0, 1, 2, 3}))
                .put("weights", Field.of(DType.FLOAT32, new int[] {2}, new byte[8]))
                .put("empty", Field.of(DType.UINT8, new int[] {0, 4}, new byte[0]));
        Annotation boxes = new Annotation(Annotation.Form.CXCYWH, true, null);
        Annotation points = new Annotation(Annotation.Form.POINTS, false, "böxes");
        Sample annotated = new Sample(5, "k", -7)
                .placeAt(12, 0, Split.TRAIN)
                .put(
                        "böxes",
                        Field.of(DType.FLOAT32, new int[] {1, 4}, new byte[16])
                                .as(FieldKind.RAGGED)
                                .annotated(boxes))
                .put(
                        "points",
                        Field.of(DType.FLOAT32, new int[] {1, 2}, new byte[8]).annotated(points))
                .put(
                        "pairs",
                        Field.of(DType.FLOAT32, new int[] {1, 2}, new byte[8])
                                .annotated(points.withFlipPairs(List.of(1, 2, 65535, 0))))
                .put(
                        "ids",
                        Field.encoded(new byte[3])
                                .as(FieldKind.RAGGED)
                                .annotated(new Annotation(Annotation.Form.MASKS, false, null)
                                        .withIds(new Annotation.Ids(1, Integer.MAX_VALUE))));
        Sample bad = new Sample(6, "bad", 1).placeAt(13, 1, Split.TRAIN);
        bad.quarantine(new BadSample("decode", "data/photos", "a/b.jpg", -1, "expected FF D8, found 00 00"));
        return new Sample[] {bare, photo, several, annotated, bad};
    }

    @Test
    void versionOneIsReadAndWritten() throws IOException {
        Sample sample = new Sample(7, "å/", -2)
                .placeAt(257, 3, Split.EVALUATE)
                .put(Sample.IMAGE, Field.image(1, 2, 1, new byte[] {-1, 16}));
        DataOutputSerializer target = new DataOutputSerializer(64);
        SampleSerializer.INSTANCE.serialize(sample, target);
        assertThat(HexFormat.of().formatHex(target.getCopyOfBuffer())).isEqualTo(VERSION_1);

        byte[] stored = HexFormat.of().parseHex(VERSION_1);
        assertThat(describe(SampleSerializer.INSTANCE.deserialize(new DataInputDeserializer(stored))))
                .isEqualTo(describe(sample));
    }

    /** Checks the form of earlier releases, whose pictures say themselves which part of an image they are. */
    @Test
    void partsOfEarlierReleasesAreRead() throws IOException {
        String[] parts = VERSION_1.split("00000001" + "00000005" + "696d61676500", -1);
        String place = "00000003" + "00000004" + "00000028" + "00000032" + "00000002";
        String image = "00000005" + "696d616765" + "80" + place + parts[1];
        String mask = "00000001" + "6d" + "01" + parts[1];
        String stored = parts[0] + "00000002" + image + mask;
        Sample sample = SampleSerializer.INSTANCE.deserialize(
                new DataInputDeserializer(HexFormat.of().parseHex(stored)));
        assertThat(sample.image().data()).containsExactly(-1, 16);
        assertThat(ImagePart.of(sample)).containsExactly(new ImagePart(3, 4, 1, 2, 40, 50, 2), ImagePart.whole(1, 2));
        ImagePart.remove(sample);
        assertThat(sample.fieldNames()).containsExactly(Sample.IMAGE, "m");
        assertThat(ImagePart.of(sample)).isEmpty();
    }

    @Test
    void copyReturnsTheSampleItself() {
        Sample sample = new Sample(1, "a", 2);
        assertThat(SampleSerializer.INSTANCE.copy(sample)).isSameAs(sample);
    }

    @Test
    void otherVersionsAreRefused() {
        SampleSerializer.Snapshot snapshot = new SampleSerializer.Snapshot();
        assertThatThrownBy(() -> snapshot.readSnapshot(
                        2, new DataInputDeserializer(new byte[0]), SampleSerializer.class.getClassLoader()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
    }
}
