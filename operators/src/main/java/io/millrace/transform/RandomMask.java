package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.PixelMask;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;

/**
 * A transform that chooses each pixel with a given probability and blackens the chosen pixels and their four
 * neighbours, the same ones in all images of a sample. Masks stay unchanged, because an object is still there when its
 * pixels are black.
 */
final class RandomMask implements Transform {
    private static final int RATIO_BITS = 32;

    /** The ratio in units of 2^-32, 0 to 2^32. */
    private final long threshold;

    private final ImageFields fields = new ImageFields("RandomMask");
    private String drawn = "";

    private RandomMask(double ratio) {
        this.threshold = Math.round(ratio * (1L << RATIO_BITS));
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        PixelMask mask =
                draw(random, extent.height(), extent.width(), threshold).grown();
        drawn = "masked " + mask.count() + " of " + (long) extent.height() * extent.width();
        fields.changeImages(sample, (image, spare) -> {
            mask.blacken(image);
            return image;
        });
    }

    /** Chooses each pixel independently, where a uniform number is below {@code threshold / 2^32}. */
    static PixelMask draw(SampleRandom random, int height, int width, long threshold) {
        PixelMask mask = new PixelMask(height, width);
        for (int row = 0; row < height; row++) {
            for (int word = 0; word < mask.wordsPerRow(); word++) {
                mask.set(row, word, below(random, threshold));
            }
        }
        return mask;
    }

    /**
     * Compares 64 uniform numbers with the threshold at once. Bit i of each drawn word is a binary digit of number i,
     * the highest digit first. A number is below the threshold if it has a 0 at the first digit where the two differ,
     * so words are drawn only until all 64 comparisons are decided: two words for a ratio of a quarter, about eight on
     * average for any ratio.
     */
    private static long below(SampleRandom random, long threshold) {
        if (threshold == 1L << RATIO_BITS) {
            return -1;
        }
        long below = 0;
        long undecided = -1;
        // When only zeros are left in the threshold, an equal number is not below it.
        for (int bit = RATIO_BITS - 1; undecided != 0 && (threshold & ((2L << bit) - 1)) != 0; bit--) {
            long digits = ((long) random.nextInt() << Integer.SIZE) | (random.nextInt() & 0xffffffffL);
            if (((threshold >>> bit) & 1) == 1) {
                below |= undecided & ~digits;
                undecided &= digits;
            } else {
                undecided &= ~digits;
            }
        }
        return below;
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** The factory of {@code RandomMask}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Double> RATIO = Option.of(
                        "ratio",
                        Probability.TYPE,
                        "The probability that a pixel is chosen; its four neighbours are blackened too.")
                .orElse(0.25);

        @Override
        public String name() {
            return "RandomMask";
        }

        @Override
        public String help() {
            return "Blackens random pixels and their four neighbours.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(RATIO);
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.NEIGHBOURHOOD;
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomMask(options.get(RATIO));
        }
    }
}
