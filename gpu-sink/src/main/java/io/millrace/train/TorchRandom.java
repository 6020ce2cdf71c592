package io.millrace.train;

import ai.djl.pytorch.jni.JniUtils;
import io.millrace.order.SampleRandom;
import io.millrace.train.network.Initializer;
import java.util.function.Supplier;

/**
 * The random numbers of PyTorch's own operators, such as dropout: a function of the run's seed and the step. Therefore
 * a checkpoint does not contain them, and other trainers in the process do not influence them. Belongs to one thread.
 *
 * <p>PyTorch has one generator for the whole process. It is seeded before each use, and locked while it is in use.
 */
final class TorchRandom {
    /** The stage number, which differs from those of samples, batches and first parameters. */
    private static final int STAGE = Initializer.STAGE - 1;

    private static final Object GENERATOR = new Object();

    private final SampleRandom random;

    /** Prepares the random numbers of a run. */
    TorchRandom(long seed) {
        this.random = new SampleRandom(seed, STAGE);
    }

    /**
     * Runs code that may draw random numbers, which then depend only on the seed and this step. Seeding the generator
     * lasts 3 to 7 us (a busy x86-64).
     */
    <T> T inStep(long step, Supplier<T> drawing) {
        random.reset(0, step);
        long seed = (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
        synchronized (GENERATOR) {
            JniUtils.setSeed(seed);
            return drawing.get();
        }
    }
}
