package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class MixtureOrderTest {
    private static final MixtureOrder.Source LARGE = new MixtureOrder.Source(1000, Shuffle.FULL);
    private static final MixtureOrder.Source SMALL = new MixtureOrder.Source(7, Shuffle.FULL);

    private static Mixture mixture(long... weights) {
        return new Mixture(List.of(new MixturePhase(MixturePhase.OPEN, weights, 0)), 0, 42);
    }

    @Test
    void eachSourceGoesThroughItsOwnEpochs() {
        MixtureOrder order = new MixtureOrder(42, 100, mixture(3, 1), List.of(LARGE, SMALL));
        BitSet seen = new BitSet();
        long small = 0;
        for (int epoch = 0; epoch < 10; epoch++) {
            for (long i = 0; i < 100; i++) {
                Order.Pick pick = order.at(epoch, i);
                if (pick.source() == 1) {
                    assertThat(pick.round()).isEqualTo((int) (small / 7));
                    assertThat(pick.index()).isEqualTo(order.order(1).index(pick.round(), small++ % 7));
                    seen.set(pick.round() * 7 + (int) pick.index());
                }
            }
        }
        assertThat(small).isEqualTo(250);
        assertThat(seen.cardinality()).as("no sample twice in a round").isEqualTo(250);
    }

    @Test
    void oneSourceAloneHasTheOrderOfItsDataset() {
        EpochOrder alone = new EpochOrder(42, 1000, Shuffle.FULL);
        MixtureOrder order = new MixtureOrder(42, 1000, mixture(5), List.of(LARGE));
        for (int epoch = 0; epoch < 3; epoch++) {
            for (long i = 0; i < 1000; i++) {
                assertThat(order.at(epoch, i)).isEqualTo(alone.at(epoch, i));
            }
        }
    }

    @Test
    void sourcesOfOneSizeDoNotGoInStepAndAnAppendedOneChangesNone() {
        MixtureOrder two = new MixtureOrder(42, 100, mixture(1, 1), List.of(LARGE, LARGE));
        MixtureOrder three = new MixtureOrder(42, 100, mixture(1, 1, 0), List.of(LARGE, LARGE, SMALL));

        assertThat(two.order(0)).isNotEqualTo(two.order(1));
        assertThat(two.order(0).seed()).isEqualTo(42);
        for (long i = 0; i < 100; i++) {
            assertThat(three.at(1, i)).isEqualTo(two.at(1, i));
        }
        assertThat(MixtureOrder.sourceSeed(42, 1))
                .isNotEqualTo(MixtureOrder.sourceSeed(42, 2))
                .isNotEqualTo(MixtureOrder.sourceSeed(43, 1));
    }

    @Test
    void survivesSerialization() throws Exception {
        MixtureOrder order = new MixtureOrder(42, 100, mixture(3, 1), List.of(LARGE, SMALL));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(order);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            MixtureOrder copy = (MixtureOrder) in.readObject();

            assertThat(copy).isEqualTo(order).hasSameHashCodeAs(order);
            assertThat(copy.at(5, 3)).isEqualTo(order.at(5, 3));
        }
    }

    @Test
    void badArgumentsAreRefused() {
        MixtureOrder.Source empty = new MixtureOrder.Source(0, Shuffle.FULL);
        assertThatThrownBy(() -> new MixtureOrder(1, 0, mixture(1), List.of(SMALL)))
                .hasMessage("an epoch has 0 rows; expected at least 1");
        assertThatThrownBy(() -> new MixtureOrder(1, 1, mixture(1, 1), List.of(SMALL)))
                .hasMessage("the mixture has weights of 2 sources, and there are 1");
        assertThatThrownBy(() -> new MixtureOrder(1, 1, mixture(2, 1), List.of(SMALL, empty)))
                .hasMessage("source 1 has no samples, but a weight of 1 in phase 0");
        assertThat(new MixtureOrder(1, 1, mixture(1, 0), List.of(SMALL, empty))
                        .at(0, 0)
                        .source())
                .isZero();
        MixtureOrder one = new MixtureOrder(1, 1L << 40, mixture(1), List.of(new MixtureOrder.Source(1, Shuffle.NONE)));
        assertThatThrownBy(() -> one.at(1 << 20, 0))
                .hasMessage("source 0 of 1 samples would be gone through more than 2^31 times");
        assertThatThrownBy(() -> one.at(0, 1L << 40)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
