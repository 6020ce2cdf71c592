package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Split;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;

/** The drawing of the mixtures of training batches. Belongs to one thread. */
final class MixDraws {
    /**
     * The first stage number for the random numbers of batches. The stage numbers of the samples' transforms begin at
     * 0.
     */
    private static final int FIRST_STAGE = 0xFF00;

    private final List<Mix> mixes;
    private final List<SampleRandom> randoms = new ArrayList<>();
    private final int height;
    private final int width;

    /**
     * Prepares to draw.
     *
     * @param first the first input of the model, whose size the boxes have
     */
    MixDraws(List<Mix> mixes, long seed, BatchSpec.Column first) {
        this.mixes = mixes;
        for (int i = 0; i < mixes.size(); i++) {
            randoms.add(new SampleRandom(seed, FIRST_STAGE + i));
        }
        this.height = first.pictures() ? first.shape().get(0) : 1;
        this.width = first.pictures() ? first.shape().get(1) : 1;
    }

    /**
     * Checks that an input can be mixed.
     *
     * @param seen the description of a row in the form in which the model gets it
     * @param floats whether all values of the input are floats
     * @param images whether the rows are images whose pixels can be pasted
     * @throws TrainSpecException when a rule does not fit
     */
    void requireMixable(BatchSpec.Column seen, boolean floats, boolean images) {
        boolean sameSize = images
                && seen.pictures()
                && seen.shape().get(0) == height
                && seen.shape().get(1) == width;
        for (Mix mix : mixes) {
            if (!floats || (mix.takesImagesOnly() && !sameSize)) {
                throw new TrainSpecException(mix.describe() + " mixes "
                        + (mix.takesImagesOnly() ? "images of one size" : "floats") + ", but the model's input '"
                        + seen.name() + "' is " + seen.describe());
            }
        }
    }

    /**
     * Returns the mixtures of a batch's rows, which are a function of the seed and the step. Evaluation batches have none.
     *
     * @param batch a sealed batch
     */
    List<RowMixture> of(DeviceBatch batch) {
        if (batch.split() != Split.TRAIN || mixes.isEmpty()) {
            return List.of();
        }
        List<RowMixture> drawn = new ArrayList<>();
        for (int i = 0; i < mixes.size(); i++) {
            drawn.add(mixes.get(i).draw(randoms.get(i).reset(0, batch.step()), height, width));
        }
        return drawn;
    }
}
