package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FreeRangesTest {
    private static final int BYTES = 64;

    private record Taken(long offset, long length) {}

    @Property(tries = 200)
    void takenPartsNeverOverlapAndFitWheneverPossible(@ForAll Random random) {
        FreeRanges ranges = new FreeRanges(BYTES);
        BitSet used = new BitSet(BYTES);
        List<Taken> taken = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (random.nextBoolean() && !taken.isEmpty()) {
                Taken back = taken.remove(random.nextInt(taken.size()));
                ranges.giveBack(back.offset, back.length);
                used.clear((int) back.offset, (int) (back.offset + back.length));
            } else {
                long length = 1L + random.nextInt(20);
                long offset = ranges.take(length);
                assertThat(offset).isEqualTo(firstFit(used, (int) length));
                if (offset != FreeRanges.NONE) {
                    used.set((int) offset, (int) (offset + length));
                    taken.add(new Taken(offset, length));
                }
            }
            boolean whole = ranges.take(BYTES) == 0;
            assertThat(whole).isEqualTo(used.isEmpty());
            if (whole) {
                ranges.giveBack(0, BYTES);
            }
        }
    }

    private static long firstFit(BitSet used, int length) {
        for (int from = used.nextClearBit(0); from + length <= BYTES; from = used.nextClearBit(from + 1)) {
            int end = used.nextSetBit(from);
            if (end < 0 || end >= from + length) {
                return from;
            }
        }
        return FreeRanges.NONE;
    }

    @Test
    void givingBackAFreePartIsRefused() {
        FreeRanges ranges = new FreeRanges(BYTES);
        long offset = ranges.take(10);
        ranges.giveBack(offset, 10);
        assertThatThrownBy(() -> ranges.giveBack(offset, 10))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bytes 0 to 10 of 64 were not taken");
        ranges.take(20);
        assertThatThrownBy(() -> ranges.giveBack(15, 10)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ranges.giveBack(60, 10)).isInstanceOf(IllegalStateException.class);
    }
}
