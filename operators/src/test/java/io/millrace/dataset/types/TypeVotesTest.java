package io.millrace.dataset.types;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Tests of the type that several samples settle, and of the fields that have this type. */
class TypeVotesTest {
    private static FieldType settled(Field... fields) {
        TypeVotes votes = new TypeVotes();
        Stream.of(fields).forEach(field -> votes.add(field.kind(), field.dtype(), FieldType.extents(field)));
        return votes.settled().orElseThrow();
    }

    private static Field longs(int[] shape, long... values) {
        ByteBuffer data = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        data.asLongBuffer().put(values);
        return Field.of(DType.INT64, shape, data.array());
    }

    private static Field doubles(int[] shape, double... values) {
        ByteBuffer data = ByteBuffer.allocate(values.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        data.asDoubleBuffer().put(values);
        return Field.of(DType.FLOAT64, shape, data.array());
    }

    private static Field zeros(DType dtype, int... shape) {
        int count = 1;
        for (int extent : shape) {
            count *= extent;
        }
        return Field.of(dtype, shape, new byte[count * dtype.bytes()]);
    }

    private static Field ragged(DType dtype, int... shape) {
        return zeros(dtype, shape).as(FieldKind.RAGGED);
    }

    private static int[] scalar() {
        return new int[0];
    }

    @Test
    void wholeNumbersBecomeFloatsWhereOneSampleHasFloats() {
        FieldType type = settled(longs(scalar(), 1), longs(scalar(), 2), doubles(scalar(), 1.5));
        assertThat(type).isEqualTo(new FieldType(FieldKind.TENSOR, DType.FLOAT64, List.of()));

        Field converted = Objects.requireNonNull(type.of(longs(scalar(), (1L << 53) + 1)));
        assertThat(converted.dtype()).isEqualTo(DType.FLOAT64);
        assertThat(ByteBuffer.wrap(converted.data())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getDouble())
                .as("the nearest float, as in Python")
                .isEqualTo(0x1p53);
    }

    @Test
    void floatWhereOnlyWholeNumbersWereSettledHasAnotherType() {
        assertThat(settled(longs(scalar(), 1)).of(doubles(scalar(), 1.5))).isNull();
    }

    @Test
    void truthValuesBecomeNumbersWhereNumbersAre() {
        Field yes = Field.of(DType.BOOL, scalar(), new byte[] {1});
        for (DType dtype : DType.values()) {
            if (dtype != DType.ENCODED && dtype != DType.BOOL) {
                FieldType numbers = settled(yes, yes, zeros(dtype));
                assertThat(numbers.dtype()).isEqualTo(dtype);
                FieldType one = settled(zeros(dtype), longs(scalar(), 1));
                assertThat(numbers.of(yes)).as("%s", dtype).isNotNull();
                assertThat(Objects.requireNonNull(one.of(yes)).data())
                        .isEqualTo(Objects.requireNonNull(one.of(longs(scalar(), 1)))
                                .data());
            }
        }
    }

    @Test
    void numberWhereOnlyTruthValuesWereSettledHasAnotherType() {
        FieldType truth = settled(zeros(DType.BOOL), zeros(DType.BOOL));
        assertThat(truth.dtype()).isEqualTo(DType.BOOL);
        assertThat(truth.of(longs(scalar(), 1))).isNull();
        assertThat(truth.of(Field.of(DType.UINT8, scalar(), new byte[] {1}))).isNull();
    }

    @Test
    void scalarAndListDifferAndTheLargerGroupDecidesOrElseTheFirst() {
        assertThat(settled(longs(new int[] {2}, 1, 2), longs(scalar(), 1)).extents())
                .containsExactly(2);
        FieldType scalars = settled(longs(new int[] {2}, 1, 2), longs(scalar(), 1), doubles(scalar(), 1));
        assertThat(scalars.extents()).isEmpty();
        assertThat(scalars.of(longs(new int[] {1}, 1))).isNull();
    }

    @Test
    void emptyListHasTheTypeAndTheInnerExtentsOfOtherSamples() {
        FieldType boxes = settled(ragged(DType.INT64, 0), ragged(DType.FLOAT32, 3, 4), ragged(DType.INT64, 0));
        assertThat(boxes.describe()).isEqualTo("float32 [?, 4]");

        for (Field empty : List.of(ragged(DType.INT64, 0), ragged(DType.FLOAT32, 0, 0), ragged(DType.FLOAT32, 0, 4))) {
            Field settled = Objects.requireNonNull(boxes.of(empty), empty.toString());
            assertThat(settled.shape()).containsExactly(0, 4);
            assertThat(settled.dtype()).isEqualTo(DType.FLOAT32);
            assertThat(settled.kind()).isEqualTo(FieldKind.RAGGED);
        }
        assertThat(boxes.of(ragged(DType.FLOAT32, 1, 0))).as("[[]] is no box").isNull();
        assertThat(boxes.of(ragged(DType.FLOAT32, 2, 5))).isNull();
        assertThat(boxes.of(ragged(DType.FLOAT32, 4))).isNull();
    }

    @Test
    void emptyListIsNoNumber() {
        assertThat(settled(longs(scalar(), 1)).of(zeros(DType.INT64, 0))).isNull();
    }

    @Test
    void emptyListsAloneSettleNothing() {
        TypeVotes votes = new TypeVotes();
        votes.add(FieldKind.RAGGED, DType.INT64, List.of(0));
        assertThat(votes.settled()).isEmpty();
    }

    @Test
    void textIsNoNumberAndMayBeEmpty() {
        Field text = Field.text(new byte[] {'a', 'b'});
        FieldType type = settled(text, text, ragged(DType.INT64, 2));
        assertThat(type.describe()).isEqualTo("text or bytes");
        assertThat(type.of(ragged(DType.INT64, 2))).isNull();
        assertThat(type.of(Field.text(new byte[0]))).isNotNull();
        assertThat(settled(ragged(DType.INT64, 2)).of(text)).isNull();
    }

    @Test
    void textsStayTextsAmongBytes() {
        Field text = Field.text(new byte[] {'a', 'b'});
        Field bytes = ragged(DType.UINT8, 1);
        FieldType type = settled(bytes, text, bytes);
        assertThat(type).isEqualTo(settled(text)).isEqualTo(settled(bytes));
        assertThat(type.of(text)).isSameAs(text);
        assertThat(type.of(bytes)).isSameAs(bytes);
        Field none = Field.text(new byte[0]);
        assertThat(type.of(none)).isSameAs(none);
        assertThat(settled(ragged(DType.INT64, 2)).of(none)).isNotNull().hasToString("INT64[0]");
    }

    @Test
    void tensorsMayHaveAnyExtentsOfTheirNumber() {
        FieldType most = settled(longs(new int[] {2}, 1, 2), longs(new int[] {2}, 1, 2), longs(new int[] {1}, 1));
        assertThat(most.extents()).containsExactly(2);
        assertThat(most.varies()).isFalse();
        assertThat(most.of(longs(new int[] {3}, 1, 2, 3))).isNotNull();
        assertThat(most.isUsual(longs(new int[] {3}, 1, 2, 3))).isFalse();
        FieldType none = settled(longs(new int[] {2}, 1, 2), longs(new int[] {1}, 1));
        assertThat(none.varies()).isTrue();
        assertThat(none.isUsual(longs(new int[] {3}, 1, 2, 3))).isTrue();
        assertThat(none.isUsual(zeros(DType.INT64, 0)))
                .as("a column cannot have its extent")
                .isFalse();
    }

    @Test
    void sizesOfPicturesAreNotSettled() {
        FieldType type = settled(Field.image(2, 2, 3, new byte[12]), Field.image(2, 2, 3, new byte[12]));
        assertThat(type.of(Field.image(1, 2, 1, new byte[2]))).isNotNull();
        assertThat(type.isUsual(Field.image(1, 2, 1, new byte[2]))).isTrue();
        assertThat(type.of(zeros(DType.INT64, 2, 2, 3))).isNull();
    }

    @Test
    void narrowTypesBecomeWiderOnesOnlyWhereNothingIsLost() {
        assertThat(settled(zeros(DType.FLOAT32, 1), zeros(DType.FLOAT64, 1)).dtype())
                .isEqualTo(DType.FLOAT64);
        assertThat(settled(zeros(DType.UINT8, 1), zeros(DType.INT16, 1)).dtype())
                .isEqualTo(DType.INT16);
        assertThat(settled(zeros(DType.FLOAT16, 1), zeros(DType.BFLOAT16, 1)).dtype())
                .isEqualTo(DType.FLOAT32);
        FieldType narrow = settled(zeros(DType.FLOAT32, 1));
        assertThat(narrow.of(zeros(DType.FLOAT64, 1))).isNull();
        assertThat(narrow.of(longs(new int[] {1}, 1 << 24))).isNotNull();
        assertThat(narrow.of(longs(new int[] {1}, (1 << 24) + 1))).isNull();
        assertThat(narrow.of(longs(new int[] {1}, Long.MAX_VALUE)))
                .as("its nearest float is 2^63")
                .isNull();
    }

    @Test
    void bothDatasetsOfARunHaveFloatsWhereOneOfThemHas() {
        FieldTypes whole = new FieldTypes(Map.of("x", new FieldType(FieldKind.TENSOR, DType.INT64, List.of(2))));
        FieldTypes floats = new FieldTypes(Map.of("x", new FieldType(FieldKind.TENSOR, DType.FLOAT64, List.of(2))));
        assertThat(new SettledTypes(List.of(floats, whole), whole).addedAfter(1))
                .isEqualTo(new SettledTypes(List.of(floats, floats), whole));
        assertThat(new SettledTypes(List.of(whole, floats), whole).addedAfter(1))
                .as("earlier datasets keep their types")
                .isEqualTo(new SettledTypes(List.of(whole, floats), whole));
        assertThat(new SettledTypes(whole, floats).together()).isEqualTo(new SettledTypes(floats, floats));
        assertThat(new SettledTypes(floats, whole).together()).isEqualTo(new SettledTypes(floats, floats));
        assertThat(new SettledTypes(whole, FieldTypes.NONE).together())
                .isEqualTo(new SettledTypes(whole, FieldTypes.NONE));
    }

    /** Every sample of the largest group has the type, in any order, and a field that has it keeps its values. */
    @Property(tries = 200)
    void numbersOfOneRankAreNeverRefused(
            @ForAll @IntRange(min = 1, max = 30) int samples, @ForAll long seed, @ForAll boolean floats) {
        Random random = new Random(seed);
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
            int boxes = random.nextInt(3);
            boolean real = floats && random.nextBoolean();
            Field field = real
                    ? doubles(new int[] {boxes, 4}, random.doubles(4L * boxes).toArray())
                    : longs(
                            new int[] {boxes, 4},
                            random.longs(4L * boxes, -9, 9).toArray());
            fields.add(boxes == 0 && random.nextBoolean() ? ragged(DType.INT64, 0) : field.as(FieldKind.RAGGED));
        }
        TypeVotes votes = new TypeVotes();
        fields.forEach(field -> votes.add(field.kind(), field.dtype(), FieldType.extents(field)));
        if (votes.settled().isEmpty()) {
            assertThat(fields).allMatch(field -> field.shape()[0] == 0);
            return;
        }
        FieldType type = votes.settled().get();
        Collections.shuffle(fields, random);
        TypeVotes again = new TypeVotes();
        fields.forEach(field -> again.add(field.kind(), field.dtype(), FieldType.extents(field)));
        assertThat(again.settled()).contains(type);
        assertThat(fields).allSatisfy(field -> {
            Field settled = Objects.requireNonNull(type.of(field));
            assertThat(settled.dtype()).isEqualTo(type.dtype());
            assertThat(settled.shape()).hasSize(2).endsWith(4).startsWith(field.shape()[0]);
            assertThat(type.of(settled)).isNotNull();
        });
    }
}
