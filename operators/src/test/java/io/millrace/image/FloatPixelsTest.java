package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Tests that compare the floats of every kernel with single operations, to the last bit. */
class FloatPixelsTest {
    private static final List<Float> ROWS =
            List.of(0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f);
    private static final List<Float> OFFSET = List.of(0f, 128f, 128f);
    private static final List<Float> MEAN = List.of(0.485f, 0.456f, 0.406f);
    private static final List<Float> STD = List.of(0.229f, 0.224f, 0.225f);

    @Property(tries = 200)
    void formulasOfAnyNumbersEqualSingleOperations(
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll @IntRange(max = 1100) int pixels,
            @ForAll long seed) {
        Random random = new Random(seed);
        float divisor = (float) Math.exp(random.nextGaussian() * 5);
        List<Float> means = new ArrayList<>();
        List<Float> deviations = new ArrayList<>();
        for (int channel = 0; channel < channels; channel++) {
            means.add((float) random.nextGaussian() * 100);
            deviations.add((float) Math.exp(random.nextGaussian() * 5));
        }
        FloatFormula plain = FloatFormula.plain(channels);
        assertAsSingleOperations(plain, pixels);
        assertAsSingleOperations(plain.divided(divisor).orElseThrow(), pixels);
        assertAsSingleOperations(plain.standardized(means, deviations).orElseThrow(), pixels);
        assertAsSingleOperations(
                plain.divided(divisor)
                        .flatMap(f -> f.standardized(means, deviations))
                        .orElseThrow(),
                pixels);
        if (channels == 3) {
            FloatFormula converted = plain.converted(ROWS, OFFSET).orElseThrow();
            assertAsSingleOperations(converted, pixels);
            assertAsSingleOperations(converted.divided(divisor).orElseThrow(), pixels);
            assertAsSingleOperations(
                    converted
                            .divided(divisor)
                            .flatMap(f -> f.standardized(means, deviations))
                            .orElseThrow(),
                    pixels);
        }
    }

    @Test
    void normalizedPhotosEqualSingleOperations() {
        assertAsSingleOperations(
                FloatFormula.plain(3)
                        .divided(255)
                        .flatMap(f -> f.standardized(MEAN, STD))
                        .orElseThrow(),
                5000);
    }

    /** Tests products that round to 0 and therefore cannot be corrected. */
    @Test
    void divisorsTooLargeForAnInverseEqualSingleOperations() {
        assertAsSingleOperations(FloatFormula.plain(1).divided(3e38f).orElseThrow(), 300);
    }

    @Test
    void operationsInAnotherOrderAreNotPartOfTheFormula() {
        FloatFormula plain = FloatFormula.plain(3);
        FloatFormula scaled = plain.divided(255).orElseThrow();
        FloatFormula normalized = plain.standardized(MEAN, STD).orElseThrow();
        assertThat(scaled.divided(2)).isEmpty();
        assertThat(scaled.converted(ROWS, OFFSET)).isEmpty();
        assertThat(normalized.divided(255)).isEmpty();
        assertThat(normalized.standardized(MEAN, STD)).isEmpty();
        assertThat(normalized.converted(ROWS, OFFSET)).isEmpty();
        assertThat(FloatFormula.plain(1).converted(ROWS, OFFSET)).isEmpty();
    }

    @Test
    void tooSmallTargetsAreRefused() {
        FloatPixels pixels = new FloatPixels(FloatFormula.plain(1));
        FloatBuffer target = ByteBuffer.allocateDirect(7 * Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        assertThatThrownBy(() -> pixels.convert(ByteBuffer.allocateDirect(8), target))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void partOfAPixelIsRefused() {
        FloatPixels pixels = new FloatPixels(FloatFormula.plain(3));
        assertThatThrownBy(() -> pixels.convert(ByteBuffer.allocate(7), FloatBuffer.allocate(7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("7 bytes")
                .hasMessageContaining("3 channels");
    }

    private static void assertAsSingleOperations(FloatFormula formula, int pixels) {
        byte[] bytes = ImageVectors.pixels(pixels, "noise", 1, Math.max(1, pixels), formula.channels())
                .data();
        ByteBuffer source = ByteBuffer.allocateDirect(pixels * formula.channels());
        source.put(0, bytes, 0, source.capacity());
        List<Integer> expected = new ArrayList<>();
        for (int at = 0; at < source.capacity(); at++) {
            expected.add(Float.floatToRawIntBits(single(formula, bytes, at)));
        }
        for (Kernels kernels : KernelChoice.available()) {
            ByteBuffer memory = ByteBuffer.allocateDirect(source.capacity() * Float.BYTES + Float.BYTES)
                    .order(ByteOrder.nativeOrder());
            memory.putFloat(source.capacity() * Float.BYTES, 7);
            new FloatPixels(formula, kernels).convert(source, memory.asFloatBuffer());
            List<Integer> found = new ArrayList<>();
            for (int at = 0; at < source.capacity(); at++) {
                found.add(memory.getInt(at * Float.BYTES));
            }
            assertThat(found).as("%s by %s", formula, kernels.name()).isEqualTo(expected);
            assertThat(memory.getFloat(source.capacity() * Float.BYTES)).isEqualTo(7);

            FloatBuffer onHeap = FloatBuffer.allocate(source.capacity());
            new FloatPixels(formula, kernels).convert(ByteBuffer.wrap(bytes, 0, source.capacity()), onHeap);
            assertThat(onHeap).isEqualTo(memory.asFloatBuffer().limit(source.capacity()));
        }
    }

    private static float single(FloatFormula formula, byte[] bytes, int at) {
        int channel = at % formula.channels();
        float value = bytes[at] & 0xff;
        if (!formula.rows().isEmpty()) {
            int first = at - channel;
            value = (bytes[first] & 0xff) * formula.rows().get(3 * channel);
            value = Math.fma(bytes[first + 1] & 0xff, formula.rows().get(3 * channel + 1), value);
            value = Math.fma(bytes[first + 2] & 0xff, formula.rows().get(3 * channel + 2), value);
            value += formula.offset().get(channel);
        }
        value /= formula.divisor();
        value -= formula.mean().get(channel);
        return value / formula.deviation().get(channel);
    }
}
