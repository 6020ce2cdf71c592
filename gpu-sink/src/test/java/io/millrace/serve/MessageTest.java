package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageTest {
    private static final int CASES = 100_000;

    @Test
    void aMessageIsReadAsItWasWritten() throws Exception {
        Message message = Message.of(MessageType.STEP, 7, 1L << 40, 123, Long.MAX_VALUE);
        ByteBuffer buffer = ByteBuffer.allocate(Message.BYTES);
        message.write(buffer);

        assertThat(Message.read(buffer.flip())).isEqualTo(message);
    }

    @Test
    void aMessageHasTheBytesOfTheProtocol() {
        ByteBuffer buffer = ByteBuffer.allocate(Message.BYTES);
        new Message(MessageType.BATCH, true, 2, 3, 4, 5).write(buffer);

        byte[] expected = new byte[Message.BYTES];
        expected[0] = 6;
        expected[2] = 1;
        expected[4] = 2;
        expected[8] = 3;
        expected[16] = 4;
        expected[24] = 5;
        assertThat(buffer.array()).isEqualTo(expected);
    }

    @Test
    void randomBytesAreAMessageOrAProtocolException() {
        Random random = new Random(1);
        byte[] bytes = new byte[Message.BYTES];
        int read = 0;
        int refused = 0;
        for (int i = 0; i < CASES; i++) {
            random.nextBytes(bytes);
            bytes[0] = (byte) random.nextInt(18);
            bytes[1] = (byte) (random.nextInt(8) == 0 ? 1 : 0);
            bytes[2] = (byte) random.nextInt(3);
            bytes[3] = 0;
            if (random.nextBoolean()) {
                ByteBuffer.wrap(bytes, 24, 8).order(ByteOrder.LITTLE_ENDIAN).putLong(random.nextInt(1 << 21));
            }
            try {
                Message message = Message.read(ByteBuffer.wrap(bytes));
                int most =
                        switch (message.type()) {
                            case HELLO, PROOF -> Message.MOST_STRANGER_BYTES;
                            case JOIN, MEMORY -> Message.MOST_JSON_BYTES;
                            default -> 0;
                        };
                assertThat(message.payload()).isEqualTo(most > 0);
                assertThat(most > 0 ? message.b() : 0).isBetween(0L, (long) most);
                read++;
            } catch (ProtocolException e) {
                assertThat(e.getMessage()).contains("a message");
                refused++;
            }
        }
        assertThat(read).isGreaterThan(CASES / 10);
        assertThat(refused).isGreaterThan(CASES / 10);
    }

    @Test
    void aPayloadThatNoClientSendsIsRefused() {
        ByteBuffer buffer = ByteBuffer.allocate(Message.BYTES);
        new Message(MessageType.SEEK, true, 1, 0, 0, 10).write(buffer);

        assertThatThrownBy(() -> Message.read(buffer.flip()))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("a message SEEK has a payload");
    }
}
