package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.python.WorkerReply.Status;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerReplyTest {
    private static final int MEMORY_BYTES = 4096;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY_BYTES);
    private final Sample before = PythonFixture.sample(3).put(Sample.IMAGE, Field.image(1, 1, 1, new byte[1]));

    private static ByteBuffer buffer() {
        return ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer done(int fields) {
        return buffer().put((byte) 0).putLong(1500).putLong(9).putShort((short) fields);
    }

    private static ByteBuffer field(ByteBuffer to, String name, int dtype, long offset, int... shape) {
        to.put((byte) name.length()).put(name.getBytes(StandardCharsets.UTF_8));
        to.put((byte) 0).put((byte) dtype).put((byte) shape.length);
        for (int extent : shape) {
            to.putInt(extent);
        }
        return to.putLong(offset);
    }

    private WorkerReply read(ByteBuffer message) throws MalformedReplyException {
        return WorkerReply.read(message, memory, before);
    }

    @Test
    void changedBoxesStayBoxes() throws Exception {
        Annotation boxes = new Annotation(Annotation.Form.XYXY, false, null);
        before.put(
                "b",
                Field.of(DType.FLOAT32, new int[] {2, 4}, new byte[32])
                        .as(FieldKind.RAGGED)
                        .annotated(boxes));
        int float32 = List.of(DType.values()).indexOf(DType.FLOAT32);
        Field changed = read(field(field(done(2), "b", float32, 0, 1, 4), "c", float32, 0, 1, 4)
                        .flip())
                .fields()
                .get(0)
                .field();
        assertThat(changed.kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(changed.annotation()).isEqualTo(boxes);
    }

    @Test
    void fieldsRefertoTheSharedMemory() throws Exception {
        memory.put(64, new byte[] {1, 2, 3, 4, 5, 6});
        WorkerReply reply = read(field(field(done(2), "image", 1, 64, 1, 2, 3), "x", 3, MEMORY_BYTES, 0)
                .flip());
        assertThat(reply.status()).isEqualTo(Status.DONE);
        assertThat(reply.cpuNanos()).isEqualTo(1500);
        assertThat(reply.label()).isEqualTo(9);
        Field image = reply.fields().get(0).field();
        assertThat(image.kind()).isEqualTo(FieldKind.IMAGE);
        assertThat(image.lasting()).isFalse();
        assertThat(image.stored()).isNotNull();
        assertThat(image.data()).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(reply.fields().get(1).field().dtype()).isEqualTo(DType.INT8);
        assertThat(reply.fields().get(1).field().bytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 4096, 1, of 1 bytes at offset 4096",
        "1, -1, 1, of 1 bytes at offset -1",
        "1, 9223372036854775807, 1, at offset 9223372036854775807",
        "7, 0, 513, of 4104 bytes at offset 0",
        "1, 0, -1, extent 0 is -1",
        "12, 0, 1, 'expected a form of 0 to 7, a dtype of 0 to 11'",
        "-1, 0, 1, a dtype of 0 to 11",
    })
    void fieldOutsideOfTheMemoryIsRefused(int dtype, long offset, int extent, String reason) {
        assertThatThrownBy(() -> read(field(done(1), "x", dtype, offset, extent).flip()))
                .isInstanceOf(MalformedReplyException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void productOfExtentsThatOverflowsIsRefused() {
        int most = Integer.MAX_VALUE;
        assertThatThrownBy(() ->
                        read(field(done(1), "x", 9, 0, most, most, most, most).flip()))
                .isInstanceOf(MalformedReplyException.class)
                .hasMessageContaining("does not fit into 4096 bytes");
        assertThatThrownBy(() -> read(field(done(1), "x", 1, 0, 1 << 16, 1 << 16, 1 << 16, 1 << 16)
                        .flip()))
                .isInstanceOf(MalformedReplyException.class);
    }

    @Test
    void cutAndLengthenedRepliesAreRefused() throws Exception {
        ByteBuffer whole = field(done(1), "image", 1, 64, 1, 2, 3).flip();
        for (int length = 0; length < whole.limit(); length++) {
            ByteBuffer cut = whole.duplicate().order(ByteOrder.LITTLE_ENDIAN).limit(length);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(MalformedReplyException.class);
        }
        ByteBuffer longer =
                field(done(1), "image", 1, 64, 1, 2, 3).put((byte) 0).flip();
        assertThatThrownBy(() -> read(longer))
                .isInstanceOf(MalformedReplyException.class)
                .hasMessage("expected the end of the reply, found 1 bytes");
    }

    @Test
    void reasonLongerThanTheReplyIsRefused() {
        ByteBuffer message = buffer().put((byte) 1)
                .putLong(0)
                .putLong(0)
                .putShort((short) 0)
                .putInt(-5)
                .flip();
        assertThatThrownBy(() -> read(message))
                .isInstanceOf(MalformedReplyException.class)
                .hasMessageContaining("the reason needs -5 bytes");
    }

    /** Whatever arrives, it is either refused, or all fields lie within the memory. */
    @Test
    void randomDamageIsRefusedOrHarmless() {
        Random random = new Random(7);
        int good = 0;
        for (int i = 0; i < 200_000; i++) {
            ByteBuffer message = field(field(done(2), "image", 1, 64, 1, 2, 3), "x", 2, 128, 2)
                    .flip();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                int at = random.nextInt(message.limit());
                message.put(at, random.nextBoolean() ? (byte) random.nextInt() : (byte) (message.get(at) + 1));
            }
            message.limit(random.nextInt(4) == 0 ? random.nextInt(message.limit()) : message.limit());
            try {
                for (WorkerReply.Named named : read(message).fields()) {
                    assertThat(named.field().data().length).isLessThanOrEqualTo(MEMORY_BYTES);
                }
                good++;
            } catch (MalformedReplyException refused) {
                assertThat(refused).hasMessageMatching("(?s).+");
            }
        }
        assertThat(good).as("harmless damage").isBetween(1000, 199_000);
    }
}
