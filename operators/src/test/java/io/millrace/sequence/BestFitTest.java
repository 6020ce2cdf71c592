package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BestFitTest {
    @Property(tries = 200)
    void eachPlacementUsesTheLeastRoomThatSuffices(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 10_000) int length) {
        Random random = new Random(seed);
        BestFit fit = new BestFit(length);
        for (int window = 0; window < 3; window++) {
            List<Integer> rooms = new ArrayList<>();
            fit.clear();
            for (int i = 0; i < 300; i++) {
                int tokens = 1 + random.nextInt(1 + random.nextInt(length));
                int least = rooms.stream()
                        .mapToInt(room -> room)
                        .filter(room -> room >= tokens)
                        .min()
                        .orElse(-1);
                int bin = fit.place(tokens);
                if (least < 0) {
                    assertThat(bin).isEqualTo(rooms.size());
                    rooms.add(length - tokens);
                } else {
                    assertThat(rooms.get(bin)).isEqualTo(least);
                    rooms.set(bin, least - tokens);
                }
            }
            assertThat(fit.bins()).isEqualTo(rooms.size());
        }
    }

    @Test
    void longestBinNeedsFourLevelsOfBits() {
        BestFit fit = new BestFit(PackRule.MOST_LENGTH);
        assertThat(fit.place(1)).isZero();
        assertThat(fit.place(PackRule.MOST_LENGTH)).isEqualTo(1);
        assertThat(fit.place(PackRule.MOST_LENGTH - 1)).isZero();
        assertThat(fit.place(PackRule.MOST_LENGTH - 64)).isEqualTo(2);
        assertThat(fit.place(64)).isEqualTo(2);
        assertThat(fit.place(1)).isEqualTo(3);
    }
}
