package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.SampleUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private static final ProgressReading HALF = new ProgressReading(
            2, 3L, 30_000, 60_000, SampleUnit.IMAGES, 19_780.4, 0.0312, 0.078, "", "limited by decode");

    @Test
    void wideTerminalShowsEverything() {
        assertThat(ProgressLine.bar(HALF, 140, Glyphs.UNICODE))
                .isEqualTo("epoch 2/3  " + "\u2501".repeat(8) + "\u2500".repeat(9)
                        + "  50 %  19,780 images/s  1.5 s left  batch loss 0.0312  starved 8 %");
    }

    @Test
    void barHasTheSameLengthWithFewFigures() {
        ProgressReading start = new ProgressReading(1, 3L, 0, 10, SampleUnit.IMAGES, null, null, null, "", null);
        for (int columns : new int[] {80, 100, 140}) {
            assertThat(ProgressLine.bar(start, columns, Glyphs.ASCII).indexOf(']'))
                    .isEqualTo(ProgressLine.bar(HALF, columns, Glyphs.ASCII).indexOf(']'));
        }
    }

    @Test
    void asciiBarHasAFrame() {
        assertThat(ProgressLine.bar(HALF, 140, Glyphs.ASCII))
                .startsWith("epoch 2/3  [########.........]  50 %  19,780 images/s");
    }

    @Test
    void unknownIsLeftOut() {
        ProgressReading start = new ProgressReading(1, null, 0, 10, SampleUnit.IMAGES, null, null, null, "", null);
        assertThat(ProgressLine.plain(start)).isEqualTo("epoch 1: 0 of 10 samples (0 %)");
        assertThat(ProgressLine.bar(start, 80, Glyphs.ASCII)).isEqualTo("epoch 1  [" + ".".repeat(10) + "]   0 %");
    }

    @Test
    void plainLineHasAllFigures() {
        assertThat(ProgressLine.plain(HALF))
                .isEqualTo("epoch 2/3: 30,000 of 60,000 samples (50 %), 19,780 images/s, 1.5 s left, "
                        + "batch loss 0.0312, starved 8 %");
    }

    @Test
    void narrowTerminalKeepsTheThroughput() {
        assertThat(ProgressLine.bar(HALF, 50, Glyphs.ASCII))
                .contains("images/s")
                .doesNotContain("loss");
    }

    @Property
    void lineNeverReachesTheLastColumn(
            @ForAll @IntRange(min = 1, max = 300) int columns,
            @ForAll @LongRange(min = 0, max = 2_000_000) long samples,
            @ForAll @DoubleRange(min = 0, max = 1e7) double rate,
            @ForAll Glyphs glyphs) {
        ProgressReading reading =
                new ProgressReading(7, 90L, samples, 1_281_167, SampleUnit.IMAGES, rate, 6.9, 0.5, "", "RandomCrop");
        assertThat(ProgressLine.bar(reading, columns, glyphs)).hasSizeLessThan(columns);
    }

    @Property
    void hundredPercentMeansAll(@ForAll @LongRange(min = 0, max = 999_999) long samples) {
        ProgressReading reading =
                new ProgressReading(1, 1L, samples, 1_000_000, SampleUnit.ROWS, null, null, null, "", null);
        assertThat(ProgressLine.plain(reading)).doesNotContain("100 %");
        assertThat(ProgressLine.bar(reading, 100, Glyphs.ASCII)).contains(".]");
    }
}
