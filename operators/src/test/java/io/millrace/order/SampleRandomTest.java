package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class SampleRandomTest {
    @Property
    void sequenceDependsOnItsArgumentsOnly(
            @ForAll long seed,
            @ForAll @IntRange(max = 65_535) int stage,
            @ForAll @IntRange int epoch,
            @ForAll @LongRange(max = (1L << 47) - 1) long index) {
        SampleRandom fresh = new SampleRandom(seed, stage).reset(epoch, index);
        SampleRandom used = new SampleRandom(seed, stage).reset(1, 2);
        for (int i = 0; i < index % 7; i++) {
            used.nextInt();
        }
        used.reset(epoch, index);

        for (int i = 0; i < 9; i++) {
            assertThat(used.nextInt()).isEqualTo(fresh.nextInt());
        }
    }

    @Test
    void sequencesOfNeighbouringArgumentsShareNoNumbers() {
        Set<Long> seen = new HashSet<>();
        int drawn = 0;
        long[] indexes = {0, 1, 2, 1L << 31, 1L << 32, (1L << 32) + 1, 1L << 39, (1L << 47) - 1};
        for (long seed : new long[] {0, 1, 1L << 32, -1}) {
            for (int stage : new int[] {0, 1, 255, 256, 65_535}) {
                SampleRandom random = new SampleRandom(seed, stage);
                for (int epoch : new int[] {0, 1, 2, Integer.MAX_VALUE}) {
                    for (long index : indexes) {
                        random.reset(epoch, index);
                        for (int i = 0; i < 20; i++) {
                            seen.add((long) random.nextInt() << 32 | (random.nextInt() & 0xFFFF_FFFFL));
                            drawn++;
                        }
                    }
                }
            }
        }
        assertThat(seen).hasSize(drawn);
    }

    @Test
    void partsShareNoNumbersWithTheirStageOrWithEachOther() {
        Set<Long> seen = new HashSet<>();
        int drawn = 0;
        for (int stage : new int[] {0, 1, 2}) {
            SampleRandom random = new SampleRandom(5, stage);
            for (long index = 0; index < 3; index++) {
                random.reset(1, index);
                for (int part = 0; part < 5; part++) {
                    SampleRandom outer = random.part(part);
                    for (SampleRandom numbers : new SampleRandom[] {outer.part(0), outer.part(1), outer}) {
                        for (int i = 0; i < 20; i++) {
                            seen.add((long) numbers.nextInt() << 32 | (numbers.nextInt() & 0xFFFF_FFFFL));
                            drawn++;
                        }
                    }
                }
                seen.add(((long) random.nextInt() << 32) | (random.nextInt() & 0xFFFF_FFFFL));
                drawn++;
            }
        }
        assertThat(seen).hasSize(drawn);
    }

    @Test
    void partsDependOnTheSampleAndTheirNumberOnly() {
        SampleRandom random = new SampleRandom(5, 1).reset(2, 77);
        random.nextInt();
        random.part(0).nextInt();
        int drawn = random.part(3).nextInt();
        assertThat(new SampleRandom(5, 1).reset(2, 77).part(3).nextInt()).isEqualTo(drawn);
        assertThat(random.part(3).nextInt()).isEqualTo(drawn);
        assertThat(random.reset(2, 78).part(3).nextInt()).isNotEqualTo(drawn);
        assertThatThrownBy(() -> new SampleRandom(5, 1).part(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void boundedNumbersAreUniform() {
        SampleRandom random = new SampleRandom(11, 3);
        for (int bound : new int[] {1, 2, 3, 7, 10, 100, 1000}) {
            long[] counts = new long[bound];
            for (int sample = 0; sample < 20_000; sample++) {
                random.reset(0, sample);
                for (int i = 0; i < 10; i++) {
                    counts[random.nextInt(bound)]++;
                }
            }
            if (bound > 1) {
                assertThat(ChiSquare.uniform(counts)).as("bound %d", bound).isLessThan(ChiSquare.bound(bound - 1));
            }
        }
    }

    @Test
    void boundThatDoesNotDivideTheRangeIsNotBiased() {
        // With 3 * 2^29, every third result of a plain multiplication would occur 1.5 times as often as the others.
        int bound = 3 << 29;
        SampleRandom random = new SampleRandom(5, 0);
        long[] counts = new long[3];
        for (int sample = 0; sample < 200_000; sample++) {
            counts[random.reset(0, sample).nextInt(bound) % 3]++;
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(2));
    }

    @Test
    void firstNumbersOfSuccessiveSamplesAreUniformAndUncorrelated() {
        SampleRandom random = new SampleRandom(42, 1);
        int samples = 200_000;
        long[] counts = new long[1000];
        double products = 0;
        double before = 0.5;
        for (int sample = 0; sample < samples; sample++) {
            double value = random.reset(3, sample).nextDouble();
            assertThat(value).isBetween(0.0, Math.nextDown(1.0));
            counts[(int) (value * counts.length)]++;
            products += (value - 0.5) * (before - 0.5) * 12;
            before = value;
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(counts.length - 1));
        assertThat(products / Math.sqrt(samples)).isBetween(-5.0, 5.0);
    }

    @Property
    void numbersOfAnIntervalStayInTheInterval(
            @ForAll double from, @ForAll double width, @ForAll @LongRange(max = 1000) long index) {
        double to = from + Math.abs(width);
        double value = new SampleRandom(1, 1).reset(0, index).nextDouble(from, to);

        assertThat(value).isGreaterThanOrEqualTo(from);
        if (from < to) {
            assertThat(value).isLessThan(to);
        }
    }

    @Test
    void bytesAreUniformAndOfAnyLength() {
        SampleRandom random = new SampleRandom(9, SampleRandom.GENERATED_DATA);
        long[] counts = new long[256];
        for (int length = 0; length < 600; length++) {
            byte[] bytes = new byte[length];
            random.reset(0, length).nextBytes(bytes);
            for (byte value : bytes) {
                counts[value & 0xFF]++;
            }
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(255));
    }

    @Test
    void shorterBytesAreThePrefixOfLongerOnesAndNoNumberIsDrawnTwice() {
        SampleRandom random = new SampleRandom(9, 0);
        byte[] longer = new byte[64];
        random.reset(0, 5).nextBytes(longer);
        for (int length = 0; length <= 64; length++) {
            byte[] shorter = new byte[length];
            random.reset(0, 5).nextBytes(shorter);
            assertThat(shorter).isEqualTo(Arrays.copyOf(longer, length));

            byte[] next = new byte[16];
            random.nextBytes(next);
            int block = (length + 15) / 16;
            if (block < 4) {
                assertThat(next).isEqualTo(Arrays.copyOfRange(longer, block * 16, block * 16 + 16));
            }
        }
    }

    @Test
    void badArgumentsAreRefused() {
        SampleRandom random = new SampleRandom(0, 0);
        assertThatThrownBy(random::nextInt)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("reset");
        assertThatThrownBy(() -> random.nextBytes(new byte[16])).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new SampleRandom(0, 65_536)).hasMessageContaining("65536");
        assertThatThrownBy(() -> new SampleRandom(0, -1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> random.reset(-1, 0)).hasMessageContaining("negative epoch -1");
        assertThatThrownBy(() -> random.reset(0, 1L << 47)).isInstanceOf(IndexOutOfBoundsException.class);
        random.reset(0, 0);
        assertThatThrownBy(() -> random.nextInt(0)).hasMessageContaining("bound must be positive, is 0");
        assertThatThrownBy(() -> random.nextDouble(2, 1)).hasMessageContaining("from 2.0 to 1.0");
        assertThatThrownBy(() -> random.nextDouble(Double.NaN, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
