package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BufferLayoutTest {
    @Test
    void photosHaveTheLayoutThatTheProtocolPageShows() {
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(224, 224, 3))));
        BufferLayout layout = BufferLayout.of(spec, 64);

        assertThat(new ObjectMapper().valueToTree(layout.fields().get(4)).toString())
                .isEqualTo("{\"name\":\"image\",\"dtype\":\"uint8\",\"shape\":[224,224,3],\"form\":\"dense\","
                        + "\"kind\":\"image\",\"from\":\"uint8\",\"offset\":1856,\"offsets\":null}");
        assertThat(layout.fields().stream().map(BufferField::name))
                .containsExactly("__index__", "__position__", "__weight__", "label", "image");
        assertThat(layout.fields().get(0))
                .isEqualTo(new BufferField(
                        "__index__", "int64", List.of(), "dense", "tensor", "int64", BufferLayout.HEADER_BYTES, null));
        assertThat(layout.bufferBytes()).isEqualTo(9637888);
    }

    @Property(tries = 200)
    void fieldsDoNotOverlapAndAreAligned(@ForAll @IntRange(min = 1, max = 5000) int capacity) {
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, capacity);
        long end = 64;
        for (BufferField field : layout.fields()) {
            int elements = field.shape().stream().reduce(1, (a, b) -> a * b);
            assertThat(field.offset()).isGreaterThanOrEqualTo(end);
            assertThat(field.offset() % 64).isZero();
            end = field.offset()
                    + switch (field.name()) {
                        case "image" -> capacity * 45L;
                        case "mask" -> capacity * 3L;
                        case "weight" -> capacity * 2L;
                        case "__weight__" -> capacity * 4L;
                        case "text", "boxes", "points" -> 16;
                        default -> capacity * 8L * elements;
                    };
            Long offsets = field.offsets();
            assertThat(offsets != null).isEqualTo(List.of("ragged", "sparse").contains(field.form()));
            if (offsets != null) {
                assertThat(offsets).isGreaterThanOrEqualTo(end);
                assertThat(offsets % 64).isZero();
                end = offsets + (capacity + 1) * 8L;
            }
        }
        assertThat(layout.fixedBytes()).isBetween(end, end + 63);
        assertThat(layout.bufferBytes() % 4096).isZero();
        assertThat(layout.bufferBytes() - layout.fixedBytes())
                .as("room for 64 KiB of each ragged row, and for all places of sparse rows")
                .isGreaterThanOrEqualTo(2L * capacity * 65536 + capacity * 600L);
    }

    @Test
    void oneLongRowOfASmallBatchHasRoom() {
        BatchSpec spec = new BatchSpec(
                List.of(new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED)));
        BufferLayout layout = BufferLayout.of(spec, 1);
        assertThat(layout.bufferBytes() - layout.fixedBytes()).isGreaterThanOrEqualTo(1 << 20);
    }

    @Test
    void roomForEntriesEndsWhereABufferDoes() {
        BatchSpec spec = new BatchSpec(
                List.of(new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED)));
        BufferLayout layout = BufferLayout.of(spec, 100_000);
        assertThat(layout.bufferBytes()).isEqualTo(Integer.MAX_VALUE - 4095L);
        assertThat(layout.fixedBytes()).isLessThan(4_000_000);
    }

    @Test
    void batchThatIsTooLargeForABufferIsRefused() {
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("image", DType.FLOAT32, List.of(1024, 1024, 3))));
        assertThat(BufferLayout.of(spec, 170).bufferBytes()).isEqualTo(2139103232L);
        assertThatThrownBy(() -> BufferLayout.of(spec, 171))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a batch of 171 rows needs a buffer of 2151682944 bytes: expected at most 2147479552."
                        + " Set a smaller batch.size");
    }

    @Test
    void fieldWithTheNameOfTheLabelIsRefused() {
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("label", DType.UINT8, List.of())));
        assertThatThrownBy(() -> BufferLayout.of(spec, 4))
                .hasMessage(
                        "a field is called 'label', which is the name of a field that every batch has: expected another name,"
                                + " which dataset.fields can give, as {target: {from: label}}");
    }

    @Test
    void capacityOfNoRowIsRefused() {
        assertThatThrownBy(() -> BufferLayout.of(RandomBatch.SPEC, 0))
                .hasMessage("a buffer needs room for at least 1 row, found 0");
    }
}
