package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Tests with the known answers that the authors publish with Random123 1.14 for philox4x32-10. */
class PhiloxTest {
    @Test
    void zeroKeyAndCounterReturnThePublishedBlock() {
        assertThat(block(0, 0, 0, 0, 0)).containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    }

    @Test
    void allOnesReturnThePublishedBlock() {
        assertThat(block(-1, -1, -1, -1, -1)).containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    }

    @Test
    void digitsOfPiReturnThePublishedBlock() {
        assertThat(block(0x299f31d0_a4093822L, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344))
                .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
    }

    @Test
    void filledBytesAreTheBlocksInOrder() {
        byte[] bytes = new byte[5 * 16 + 3];

        int blocks = Philox.fill(42, 7, 1, 2, 3, bytes);

        assertThat(blocks).isEqualTo(5);
        ByteBuffer expected = ByteBuffer.allocate(bytes.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int number = 0; number < 5; number++) {
            for (int word : block(42, 7 + number, 1, 2, 3)) {
                expected.putInt(word);
            }
        }
        assertThat(bytes).isEqualTo(expected.array());
    }

    private static int[] block(long key, int c0, int c1, int c2, int c3) {
        int[] out = new int[Philox.WORDS];
        Philox.block(key, c0, c1, c2, c3, out);
        return out;
    }
}
