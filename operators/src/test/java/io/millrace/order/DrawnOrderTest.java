package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DrawnOrderTest {
    private static final WeightTable TABLE = WeightTable.of(new double[] {1, 0, 3});

    @Test
    void anEpochHasItsNumberOfDrawsWithTheirOwnRandomNumbers() {
        DrawnOrder order = new DrawnOrder(42, 50, TABLE);
        Set<Integer> rounds = new HashSet<>();
        for (int epoch = 0; epoch < 4; epoch++) {
            for (long i = 0; i < 50; i++) {
                Order.Pick pick = order.at(epoch, i);
                assertThat(pick.source()).isZero();
                assertThat(pick.index()).isEqualTo(TABLE.draw(42, epoch, i)).isIn(0L, 2L);
                assertThat(order.readRound(pick)).as("the round of reading").isEqualTo(epoch);
                rounds.add(pick.round());
            }
        }
        assertThat(rounds).hasSize(200);
        assertThat(order.at(Integer.MAX_VALUE, 49).round()).isNotNegative();
        assertThatThrownBy(() -> order.at(0, 50)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> order.at(-1, 0)).hasMessage("negative epoch -1");
    }

    @Test
    void stepsThatAreLeftOutChangeNoDraw() {
        DrawnOrder order = new DrawnOrder(42, 12, TABLE);
        SkippingOrder skipping = new SkippingOrder(order, SkippedSteps.NONE.and(1, 1), 12, 3);

        assertThat(skipping.at(0, 3)).isEqualTo(order.at(0, 6));
        assertThat(skipping.at(0, 11)).isEqualTo(order.at(1, 2));
        assertThat(skipping.readRound(skipping.at(0, 11))).isEqualTo(1);
    }

    @Test
    void anEpochWithoutDrawsIsRefused() {
        assertThatThrownBy(() -> new DrawnOrder(42, 0, TABLE))
                .hasMessage("an epoch has 0 draws; expected 1 to 1099511627776");
    }
}
