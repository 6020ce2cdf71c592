package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FieldTest {
    private static final byte[] SIX = {1, 2, 3, 4, 5, 6};

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    }

    @Test
    void storedValuesAreCopiedOnceAnArrayIsNeeded() {
        ByteBuffer values = direct(SIX);
        Field field = Field.stored(DType.UINT8, new int[] {2, 3}, values);
        assertThat(field.stored()).isSameAs(values);
        assertThat(field.bytes()).isEqualTo(6);

        byte[] data = field.data();
        assertThat(data).isEqualTo(SIX);
        assertThat(field.data()).isSameAs(data);
        assertThat(field.stored()).as("a transform may change the array").isNull();
        data[0] = 9;
        assertThat(values.get(0)).as("the stored values stay").isEqualTo((byte) 1);
        assertThat(field.bytes()).isEqualTo(6);
    }

    @Test
    void valuesThatDoNotLastStaySoWithAnotherKindAndShape() {
        Field field = Field.passing(DType.UINT8, new int[] {2, 3}, direct(SIX));
        assertThat(field.lasting()).isFalse();
        assertThat(field.shaped(new int[] {2, 3, 1}).as(FieldKind.IMAGE).lasting())
                .isFalse();
        assertThat(field.data()).isEqualTo(SIX);
        assertThat(Field.stored(DType.UINT8, new int[] {2, 3}, direct(SIX)).lasting())
                .isTrue();
    }

    @Test
    void storedValuesStayWhereTheyAreWithAnotherKindAndShape() {
        ByteBuffer values = direct(SIX);
        Field picture = Field.stored(DType.UINT8, new int[] {2, 3}, values)
                .shaped(new int[] {2, 3, 1})
                .as(FieldKind.IMAGE);
        assertThat(picture.stored()).isSameAs(values);
        assertThat(picture.shape()).containsExactly(2, 3, 1);
        assertThat(picture.data()).isEqualTo(SIX);
    }

    @Test
    void storedValuesOfAnotherSizeOrOnTheHeapAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Field.stored(DType.INT32, new int[] {2}, direct(SIX)))
                .withMessage("shape [2] of INT32 needs 8 bytes, found 6");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Field.stored(DType.UINT8, new int[] {6}, ByteBuffer.wrap(SIX)))
                .withMessageContaining("outside the Java heap");
        assertThatIllegalArgumentException().isThrownBy(() -> Field.stored(DType.UINT8, new int[] {6}, direct(SIX))
                .shaped(new int[] {7}));
    }

    @Test
    void textIsAKindOfItsOwnWhoseBytesAreRaggedInBatches() {
        Field text = Field.text(SIX.clone());
        assertThat(text.kind()).isEqualTo(FieldKind.TEXT);
        assertThat(text).hasToString("text of 6 bytes");
        assertThat(text.kind().word()).isEqualTo("text");
        assertThat(text.kind().varies()).isTrue();
        assertThat(text.kind().inBatch()).isEqualTo(FieldKind.RAGGED);
        assertThat(text.as(FieldKind.RAGGED)).hasToString("UINT8[6]");
    }

    @Test
    void fieldsInArraysHaveNoStoredValues() {
        assertThat(Field.of(DType.UINT8, new int[] {6}, SIX).stored()).isNull();
        assertThat(Field.of(DType.UINT8, new int[] {6}, SIX).bytes()).isEqualTo(6);
    }
}
