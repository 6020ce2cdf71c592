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
    private static final FloatStep COLOR = FloatStep.mix(
            List.of(0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f),
            List.of(0f, 128f, 128f));
    private static final FloatStep PHOTO =
            FloatStep.standardize(List.of(0.485, 0.456, 0.406), List.of(0.229, 0.224, 0.225));

    /** The first formulas have the order of operations of the C code; the others are computed in Java by all kernels. */
    @Property(tries = 200)
    void formulasOfAnyNumbersEqualSingleOperations(
            @ForAll @IntRange(min = 1, max = 6) int channels,
            @ForAll @IntRange(max = 1100) int pixels,
            @ForAll long seed) {
        Random random = new Random(seed);
        FloatStep divide = FloatStep.divide(Math.exp(random.nextGaussian() * 5));
        List<Double> means = new ArrayList<>();
        List<Double> deviations = new ArrayList<>();
        for (int channel = 0; channel < channels; channel++) {
            means.add(random.nextGaussian() * 100);
            deviations.add(Math.exp(random.nextGaussian() * 5));
        }
        FloatStep standardize = FloatStep.standardize(means, deviations);
        FloatStep plain = new FloatStep(List.of(), List.of(0f), List.of(1f));
        List<List<FloatStep>> formulas = new ArrayList<>(List.of(
                List.of(),
                List.of(divide),
                List.of(standardize),
                List.of(divide, plain, standardize),
                List.of(divide, divide),
                List.of(standardize, divide),
                List.of(standardize, standardize),
                List.of(divide, standardize, divide)));
        if (channels == 3) {
            FloatStep whole = new FloatStep(COLOR.matrix(), standardize.mean(), standardize.std());
            formulas.addAll(List.of(
                    List.of(COLOR),
                    List.of(COLOR, divide),
                    List.of(COLOR, divide, standardize),
                    List.of(whole, standardize),
                    List.of(whole, divide, standardize),
                    List.of(divide, COLOR),
                    List.of(COLOR, COLOR)));
        }
        formulas.forEach(steps -> assertAsSingleOperations(new FloatFormula(channels, steps), pixels));
    }

    @Test
    void normalizedPhotosEqualSingleOperations() {
        assertAsSingleOperations(new FloatFormula(3, List.of(FloatStep.divide(255), PHOTO)), 5000);
    }

    /** Tests products that round to 0 and therefore cannot be corrected. */
    @Test
    void divisorsTooLargeForAnInverseEqualSingleOperations() {
        assertAsSingleOperations(new FloatFormula(1, List.of(FloatStep.divide(3e38))), 300);
    }

    @Test
    void stepsThatTreatAllChannelsAlikeNeedNoPixels() {
        FloatStep scale = FloatStep.divide(255);
        assertThat(FloatFormula.of(List.of(7, 784), List.of(scale)).channels()).isOne();
        assertThat(FloatFormula.of(List.of(7, 3), List.of(scale, PHOTO)).channels())
                .isEqualTo(3);
        assertThat(FloatFormula.of(List.of(), List.of(scale)).channels()).isOne();
    }

    @Test
    void numbersThatDoNotBelongTogetherAreRefused() {
        assertThatThrownBy(() -> FloatStep.standardize(List.of(1.0, 2.0), List.of(1.0, 2.0, 3.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'mean' has 2 numbers and 'std' 3, expected 1 or one for each channel");
        assertThatThrownBy(() -> FloatStep.standardize(List.of(), List.of(1.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected at least 1");
        assertThatThrownBy(() -> FloatStep.mix(List.of(1f), List.of(0f)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("matrix has 1 numbers, expected 9");
        assertThatThrownBy(() -> new FloatFormula(1, List.of(COLOR)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pixels of 3 channels, found 1");
        assertThatThrownBy(() -> new FloatFormula(4, List.of(PHOTO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'mean' has 3 numbers, expected 1 or one for each of the 4 channels");
    }

    @Test
    void tooSmallTargetsAreRefused() {
        FloatPixels pixels = new FloatPixels(new FloatFormula(1, List.of()));
        FloatBuffer target = ByteBuffer.allocateDirect(7 * Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        assertThatThrownBy(() -> pixels.convert(ByteBuffer.allocateDirect(8), target))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void partOfAPixelIsRefused() {
        FloatPixels pixels = new FloatPixels(new FloatFormula(3, List.of(PHOTO)));
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
        FloatBuffer floats = FloatBuffer.allocate(source.capacity());
        for (int at = 0; at < source.capacity(); at++) {
            floats.put(at, bytes[at] & 0xff);
        }
        new FloatPixels(formula).change(floats);
        for (int at = 0; at < source.capacity(); at++) {
            assertThat(Float.floatToRawIntBits(floats.get(at)))
                    .as("%s of floats, at %d", formula, at)
                    .isEqualTo(expected.get(at));
        }
    }

    private static float single(FloatFormula formula, byte[] bytes, int at) {
        int channel = at % formula.channels();
        float[] pixel = new float[formula.channels()];
        for (int i = 0; i < pixel.length; i++) {
            pixel[i] = bytes[at - channel + i] & 0xff;
        }
        for (FloatStep step : formula.steps()) {
            float[] mixed = pixel.clone();
            for (int to = 0; !step.matrix().isEmpty() && to < 3; to++) {
                mixed[to] = pixel[0] * step.matrix().get(3 * to);
                mixed[to] = Math.fma(pixel[1], step.matrix().get(3 * to + 1), mixed[to]);
                mixed[to] = Math.fma(pixel[2], step.matrix().get(3 * to + 2), mixed[to]);
            }
            for (int i = 0; i < pixel.length; i++) {
                pixel[i] = (mixed[i] - step.mean(i)) / step.std(i);
            }
        }
        return pixel[channel];
    }
}
