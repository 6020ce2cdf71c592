package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.order.ChiSquare;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of the random choices of RandAugment, TrivialAugmentWide and AutoAugment, by the operations that they report.
 */
class AutomaticAugmentationTest {
    private static final int DRAWS = 28_000;

    @Test
    void randAugmentDrawsPairsUniformlyAndSignsEvenly() throws Exception {
        Map<String, Long> pairs = new TreeMap<>();
        int signed = 0;
        int negative = 0;
        for (String drawn : drawn("RandAugment", Map.of())) {
            List<String> parts = List.of(drawn.split(", ", -1));
            assertThat(parts).hasSize(2);
            pairs.merge(name(parts.get(0)) + name(parts.get(1)), 1L, Long::sum);
            for (String part : parts) {
                if (AugmentationSpaceTest.named(name(part)).signed()) {
                    signed++;
                    negative += part.contains("-") ? 1 : 0;
                }
            }
        }
        assertThat(pairs).hasSize(14 * 14);
        assertThat(ChiSquare.uniform(counts(pairs))).isLessThan(ChiSquare.bound(14 * 14 - 1));
        // The bound is four standard deviations.
        assertThat((double) negative / signed).isCloseTo(0.5, within(2 / Math.sqrt(signed)));
    }

    @Test
    void randAugmentHasOneMagnitude() throws Exception {
        for (String drawn : drawn("RandAugment", Map.of("num_ops", 1L, "magnitude", 5L, "num_magnitude_bins", 11L))) {
            switch (name(drawn)) {
                case "ShearX", "ShearY" -> assertThat(drawn).endsWith("0.150");
                case "Rotate" -> assertThat(drawn).endsWith("15.000");
                case "Posterize" -> assertThat(drawn).isEqualTo("Posterize 6.000");
                case "Solarize" -> assertThat(drawn).isEqualTo("Solarize 0.500");
                case "Color" -> assertThat(drawn).endsWith("0.450");
                default -> {}
            }
        }
    }

    @Test
    void trivialAugmentDrawsOperationsAndMagnitudesUniformly() throws Exception {
        Map<String, Long> names = new TreeMap<>();
        Map<String, Long> levels = new TreeMap<>();
        int signed = 0;
        int negative = 0;
        for (String drawn : drawn("TrivialAugmentWide", Map.of("num_magnitude_bins", 5L))) {
            names.merge(name(drawn), 1L, Long::sum);
            if (AugmentationSpaceTest.named(name(drawn)).hasMagnitude()) {
                levels.merge(drawn.replace("-", ""), 1L, Long::sum);
            }
            if (AugmentationSpaceTest.named(name(drawn)).signed()) {
                signed++;
                negative += drawn.contains("-") ? 1 : 0;
            }
        }
        assertThat(names).hasSize(14);
        assertThat(ChiSquare.uniform(counts(names))).isLessThan(ChiSquare.bound(13));
        assertThat(levels).hasSize(11 * 5);
        assertThat(ChiSquare.uniform(counts(levels))).isLessThan(ChiSquare.bound(11 * 5 - 1));
        assertThat((double) negative / signed).isCloseTo(0.5, within(2 / Math.sqrt(signed)));
    }

    @ParameterizedTest
    @EnumSource
    void autoAugmentChoosesPairsUniformlyAndAppliesStepsWithTheirProbabilities(AutoAugmentPolicy policy)
            throws Exception {
        Map<String, Double> expected = new TreeMap<>();
        for (AutoAugmentPolicy.Pair pair : policy.pairs()) {
            double first = pair.first().probability();
            double second = pair.second().probability();
            String names = pair.first().operation() + ", " + pair.second().operation();
            expected.merge(names, first * second / 25, Double::sum);
            expected.merge(pair.first().operation().toString(), first * (1 - second) / 25, Double::sum);
            expected.merge(pair.second().operation().toString(), (1 - first) * second / 25, Double::sum);
            expected.merge("as is", (1 - first) * (1 - second) / 25, Double::sum);
        }
        Map<String, Long> found = new TreeMap<>();
        for (String drawn : drawn("AutoAugment", Map.of("policy", policy.name().toLowerCase(Locale.ROOT)))) {
            String names = drawn.equals("as is")
                    ? drawn
                    : String.join(
                            ", ",
                            Stream.of(drawn.split(", ", -1))
                                    .map(AutomaticAugmentationTest::name)
                                    .toList());
            found.merge(names, 1L, Long::sum);
        }
        expected.values().removeIf(probability -> probability < 1e-12);
        assertThat(expected.keySet()).containsAll(found.keySet());
        double chiSquare = 0;
        for (Map.Entry<String, Double> entry : expected.entrySet()) {
            double mean = entry.getValue() * DRAWS;
            double deviation = found.getOrDefault(entry.getKey(), 0L) - mean;
            chiSquare += deviation * deviation / mean;
        }
        assertThat(chiSquare).isLessThan(ChiSquare.bound(expected.size() - 1));
    }

    @Test
    void magnitudeAboveTheBinsIsRefused() {
        assertThatThrownBy(() -> TransformFixture.of("RandAugment", Map.of("magnitude", 31L)))
                .hasMessage("'magnitude' must be under 'num_magnitude_bins', which is 31, found 31");
        assertThatThrownBy(() -> TransformFixture.of("AutoAugment", Map.of("policy", "mnist")))
                .hasMessage("'policy': expected one of imagenet | cifar10 | svhn, found 'mnist'");
    }

    private static List<String> drawn(String name, Map<String, ?> options) throws Exception {
        TransformFixture transform = TransformFixture.of(name, options);
        String[] drawn = new String[DRAWS];
        for (int draw = 0; draw < DRAWS; draw++) {
            transform.apply(TransformFixture.noise(3, 3, 3));
            drawn[draw] = transform.drawn();
        }
        return List.of(drawn);
    }

    private static String name(String drawn) {
        return drawn.split(" ", -1)[0];
    }

    private static long[] counts(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).toArray();
    }
}
