package io.millrace.train.input;

import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * A rule that mixes each row of a batch with the row before it, and the first row with the last, as torchvision's batch
 * transforms do. Each batch draws one {@link RowMixture} for all of its rows.
 */
sealed interface Mix {
    /** Draws the mixture of a batch of images of this size. Both extents are 1 if the rows are not images. */
    RowMixture draw(SampleRandom random, int height, int width);

    /** Returns whether rows have to be images. */
    boolean takesImagesOnly();

    /** Returns the name in pipeline files. */
    String describe();

    /**
     * The rule of Zhang and others, "mixup: Beyond Empirical Risk Minimization" (2018): a weighted sum of both rows.
     */
    record MixUp(double alpha) implements Mix {
        @Override
        public RowMixture draw(SampleRandom random, int height, int width) {
            return RowMixture.ofShare(BetaRandom.next(alpha, random));
        }

        @Override
        public boolean takesImagesOnly() {
            return false;
        }

        @Override
        public String describe() {
            return "MixUp";
        }
    }

    /**
     * The rule of Yun and others, "CutMix: Regularization Strategy to Train Strong Classifiers" (2019): a box from the
     * other row.
     */
    record CutMix(double alpha) implements Mix {
        @Override
        public RowMixture draw(SampleRandom random, int height, int width) {
            double share = BetaRandom.next(alpha, random);
            return RowMixture.ofBox(share, random.nextInt(width), random.nextInt(height), height, width);
        }

        @Override
        public boolean takesImagesOnly() {
            return true;
        }

        @Override
        public String describe() {
            return "CutMix";
        }
    }

    /**
     * A choice among several rules, of which one is drawn for each batch.
     *
     * @param shares the probability of each rule; the sum is 1
     */
    record OneOf(List<Mix> mixes, List<Double> shares) implements Mix {
        public OneOf {
            mixes = List.copyOf(mixes);
            shares = List.copyOf(shares);
        }

        @Override
        public RowMixture draw(SampleRandom random, int height, int width) {
            double left = random.nextDouble();
            int chosen = 0;
            while (chosen < mixes.size() - 1 && left >= shares.get(chosen)) {
                left -= shares.get(chosen);
                chosen++;
            }
            return mixes.get(chosen).draw(random, height, width);
        }

        @Override
        public boolean takesImagesOnly() {
            return mixes.stream().anyMatch(Mix::takesImagesOnly);
        }

        @Override
        public String describe() {
            return "RandomChoice";
        }
    }
}
