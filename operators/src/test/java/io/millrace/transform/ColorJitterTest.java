package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.order.ChiSquare;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColorJitterTest {
    private static final List<String> PROPERTIES = List.of("brightness", "contrast", "saturation", "hue");

    @Test
    void everyOrderGivesThePixelsOfTorchvision() throws Exception {
        Map<String, String> expected = new HashMap<>();
        for (Row row : ImageVectors.tableAt("/vectors/transform/colour/jitter.csv")) {
            expected.put(row.text("order"), row.text("sha256"));
        }
        TransformFixture jitter = TransformFixture.of(
                "ColorJitter",
                Map.of(
                        "brightness", List.of(1.3, 1.3),
                        "contrast", List.of(0.7, 0.7),
                        "saturation", List.of(1.6, 1.6),
                        "hue", List.of(-0.08, -0.08)));
        Map<String, String> found = new HashMap<>();
        while (found.size() < expected.size()) {
            Field changed = jitter.apply(ImageVectors.pixels(9, "noise", 19, 23, 3));
            found.put(order(jitter.drawn()), ImageVectors.sha256(changed));
        }
        assertThat(expected).hasSize(24);
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void ordersAreEquallyFrequent() throws Exception {
        TransformFixture jitter = TransformFixture.of(
                "ColorJitter", Map.of("brightness", 0.4, "contrast", 0.4, "saturation", 0.4, "hue", 0.1));
        Map<String, Long> counts = new TreeMap<>();
        for (int draw = 0; draw < 24_000; draw++) {
            jitter.apply(TransformFixture.noise(1, 1, 3));
            counts.merge(order(jitter.drawn()), 1L, Long::sum);
        }
        assertThat(counts).hasSize(24);
        assertThat(ChiSquare.uniform(
                        counts.values().stream().mapToLong(Long::longValue).toArray()))
                .isLessThan(ChiSquare.bound(23));
    }

    @ParameterizedTest
    @ValueSource(strings = {"brightness 0.6 1.4", "contrast 0 3", "saturation 0.9 1.3", "hue -0.1 0.1", "hue 0.2 0.5"})
    void factorsAreUniform(String words) throws Exception {
        String property = words.split(" ", -1)[0];
        double from = Double.parseDouble(words.split(" ", -1)[1]);
        double to = Double.parseDouble(words.split(" ", -1)[2]);
        TransformFixture jitter = TransformFixture.of("ColorJitter", Map.of(property, List.of(from, to)));
        double[] factors = new double[20_000];
        for (int draw = 0; draw < factors.length; draw++) {
            jitter.apply(TransformFixture.noise(1, 1, 3));
            factors[draw] = factor(jitter.drawn(), property);
        }
        assertThat(distance(factors, from, to)).isLessThan(1.95 / Math.sqrt(factors.length));
    }

    @Test
    void numberMeansARangeAroundTheFactorThatChangesNothing() throws Exception {
        TransformFixture jitter = TransformFixture.of("ColorJitter", Map.of("brightness", 3.0, "hue", 0.2));
        double[] brightness = new double[20_000];
        double[] hue = new double[brightness.length];
        for (int draw = 0; draw < brightness.length; draw++) {
            jitter.apply(TransformFixture.noise(1, 1, 3));
            brightness[draw] = factor(jitter.drawn(), "brightness");
            hue[draw] = factor(jitter.drawn(), "hue");
        }
        assertThat(distance(brightness, 0, 4)).isLessThan(1.95 / Math.sqrt(brightness.length));
        assertThat(distance(hue, -0.2, 0.2)).isLessThan(1.95 / Math.sqrt(hue.length));
    }

    @Test
    void zeroAndMissingOptionsLeaveTheImageUnchanged() throws Exception {
        TransformFixture jitter =
                TransformFixture.of("ColorJitter", Map.of("brightness", 0L, "saturation", List.of(1L, 1L), "hue", 0L));
        assertThat(jitter.apply(TransformFixture.noise(9, 8, 3)).data())
                .isEqualTo(TransformFixture.noise(9, 8, 3).data());
        assertThat(jitter.drawn()).isEmpty();
    }

    @Test
    void allImagesChangeAlikeAndMasksStay() throws Exception {
        Transform jitter = TransformFixture.create(
                "ColorJitter", Map.of("brightness", 0.5, "contrast", 0.5, "saturation", 0.5, "hue", 0.5));
        Field image = TransformFixture.noise(11, 13, 3);
        Sample sample = new Sample(0, "a", 0)
                .put("left", TransformFixture.noise(11, 13, 3))
                .put("mask", TransformFixture.noise(11, 13, 1).as(FieldKind.MASK))
                .put("right", TransformFixture.noise(11, 13, 3));
        jitter.apply(sample, new SampleRandom(1, 1).reset(0, 0));
        assertThat(sample.field("left").data())
                .isNotEqualTo(image.data())
                .isEqualTo(sample.field("right").data());
        assertThat(sample.field("mask").data())
                .isEqualTo(TransformFixture.noise(11, 13, 1).data());
    }

    @Test
    void badRangesAreRefused() {
        assertThatThrownBy(() -> TransformFixture.of("ColorJitter", Map.of("hue", 0.6)))
                .hasMessage("'hue': expected a number from 0 to 0.5 or [least, most], two numbers of -0.5 to 0.5 in"
                        + " order, found 0.6");
        assertThatThrownBy(() -> TransformFixture.of("ColorJitter", Map.of("contrast", List.of(1.2, 0.8))))
                .hasMessage(
                        "'contrast': expected a number of at least 0 or [least, most], two numbers of at least 0 in order,"
                                + " found [1.2, 0.8]");
        assertThatThrownBy(() -> TransformFixture.of("ColorJitter", Map.of("brightness", -1L)))
                .hasMessageContaining("found -1");
    }

    private static String order(String drawn) {
        StringBuilder order = new StringBuilder();
        for (String part : drawn.split(", ", -1)) {
            order.append(PROPERTIES.indexOf(part.split(" ", -1)[0]));
        }
        return order.toString();
    }

    private static double factor(String drawn, String property) {
        return Arrays.stream(drawn.split(", ", -1))
                .filter(part -> part.startsWith(property))
                .mapToDouble(part -> Double.parseDouble(part.substring(property.length() + 1)))
                .sum();
    }

    /**
     * Returns the distance of Kolmogorov and Smirnov from the uniform distribution. One sample in a thousand exceeds
     * 1.95 / sqrt(n).
     */
    private static double distance(double[] values, double from, double to) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double distance = 0;
        for (int i = 0; i < sorted.length; i++) {
            double expected = (sorted[i] - from) / (to - from);
            distance = Math.max(
                    distance, Math.max(expected - (double) i / sorted.length, (i + 1.0) / sorted.length - expected));
        }
        return distance;
    }
}
