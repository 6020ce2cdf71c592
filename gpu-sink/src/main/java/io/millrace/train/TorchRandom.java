package io.millrace.train;

import ai.djl.pytorch.jni.JniUtils;
import io.millrace.order.SampleRandom;
import io.millrace.train.network.Initializer;
import java.util.function.Supplier;

/**
 * The random numbers that PyTorch's own operators draw, such as dropout's: a function of the run's seed and the step. So
 * they need no place in a checkpoint, and a trainer beside this one changes nothing. Belongs to one thread.
 *
 * <p>PyTorch has one generator for the whole process: it is set before each use, and locked while it is in use.
 */
final class TorchRandom {
    /** Apart from those of samples, batches and first parameters. */
    private static final int STAGE = Initializer.STAGE - 1;

    private static final Object GENERATOR = new Object();

    private final SampleRandom random;

    /** The random numbers of a run. */
    TorchRandom(long seed) {
        this.random = new SampleRandom(seed, STAGE);
    }

    /** Runs what may draw numbers, with those of this step. Setting the generator takes 3 to 7 us (a busy x86-64). */
    <T> T inStep(long step, Supplier<T> drawing) {
        random.reset(0, step);
        long seed = (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
        synchronized (GENERATOR) {
            JniUtils.setSeed(seed);
            return drawing.get();
        }
    }
}
