package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.ChiSquare;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RandomChoiceTest {
    private static final List<Object> PADS = List.of(pad(1), pad(2), pad(3));

    private static Object pad(long pixels) {
        return Map.of("Pad", Map.of("padding", List.of(0L, 0L, pixels, 0L)));
    }

    private static long[] counts(Map<String, ?> options, int draws) throws Exception {
        TransformFixture choice = TransformFixture.of("RandomChoice", options);
        long[] counts = new long[3];
        for (int draw = 0; draw < draws; draw++) {
            counts[choice.apply(TransformFixture.noise(1, 1, 1)).width() - 2]++;
            assertThat(choice.drawn()).isEqualTo("Pad");
        }
        return counts;
    }

    @Test
    void transformsAreEquallyLikelyWithoutWeights() throws Exception {
        assertThat(ChiSquare.uniform(counts(Map.of("transforms", PADS), 9000))).isLessThan(ChiSquare.bound(2));
    }

    @Test
    void weightsMayHaveAnyUnitAndZeroIsNeverChosen() throws Exception {
        long[] counts = counts(Map.of("transforms", PADS, "p", List.of(3L, 0L, 1L)), 12_000);
        assertThat(counts[1]).isZero();
        double often = counts[0] - 9000.0;
        double seldom = counts[2] - 3000.0;
        double statistic = often * often / 9000 + seldom * seldom / 3000;
        assertThat(statistic).isLessThan(ChiSquare.bound(1));
    }

    @Test
    void weightsThatDoNotMatchTheTransformsAreRefused() {
        assertThatThrownBy(() -> TransformFixture.of("RandomChoice", Map.of("transforms", PADS, "p", List.of(1L, 2L))))
                .hasMessage("p: expected as many numbers as transforms, 3, found 2");
        assertThatThrownBy(
                        () -> TransformFixture.of("RandomChoice", Map.of("transforms", PADS, "p", List.of(0L, 0L, 0L))))
                .hasMessage("p: expected at least one number above 0, found [0.0, 0.0, 0.0]");
        assertThatThrownBy(() ->
                        TransformFixture.of("RandomChoice", Map.of("transforms", PADS, "p", List.of(1L, -1L, 0L))))
                .hasMessage("'p': expected numbers of at least 0, found -1");
    }
}
