package io.millrace.sink.trainer;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.ForwardingTrainStep;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.spec.TrainSpec;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/**
 * The planned failures of a run in this JVM. Each failure occurs some samples or steps after a checkpoint, and a seed
 * determines their number. Only one run at a time may use the class.
 */
final class Accidents {
    /** The place of a failure. */
    enum Place {
        NOWHERE,
        BETWEEN_SOURCE_AND_PACK,
        TRAINER
    }

    /** The distance between two bad samples of the training dataset. */
    static final int BAD_EVERY = 97;

    private static final int MOST_SAMPLES_AFTER_CHECKPOINT = 2000;
    private static final int MOST_STEPS_AFTER_CHECKPOINT = 60;

    /** The additional time of a step, so that a run outlasts its failures even on a fast machine. */
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

    private static final Object LOCK = new Object();
    private static Place place = Place.NOWHERE;
    private static Random random = new Random(0);
    private static int left;
    private static long checkpoints;
    private static long steps;
    private static int countdown;

    private Accidents() {}

    /** Plans the failures of a run. */
    static void plan(Place where, int times, long seed) {
        synchronized (LOCK) {
            place = where;
            left = times;
            random = new Random(seed);
            checkpoints = 0;
            steps = 0;
            countdown = 0;
        }
    }

    /** Returns the number of failures that have not occurred yet. */
    static int left() {
        synchronized (LOCK) {
            return left;
        }
    }

    /**
     * Waits until {@code moreCheckpoints} further checkpoints are complete and {@code moreSteps} further steps are
     * done.
     */
    static void await(int moreCheckpoints, int moreSteps) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        synchronized (LOCK) {
            long wantedCheckpoints = checkpoints + moreCheckpoints;
            long wantedSteps = steps + moreSteps;
            while (checkpoints < wantedCheckpoints || steps < wantedSteps) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (millis <= 0) {
                    throw new AssertionError("60 s without " + moreCheckpoints + " checkpoints and " + moreSteps
                            + " steps: there were " + checkpoints + " and " + steps + "; the threads:" + threads());
                }
                LOCK.wait(millis);
            }
        }
    }

    /** Returns what the threads of this process do, without those that wait for work. */
    static String threads() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            boolean ours =
                    Stream.of(frames).anyMatch(frame -> frame.getClassName().startsWith("io.millrace"));
            if (ours
                    || thread.getName().contains("Source: ")
                    || thread.getName().startsWith("train ")) {
                text.append("\n").append(thread.getName()).append(" ").append(thread.getState());
                Stream.of(frames).forEach(frame -> text.append("\n    ").append(frame));
            }
        });
        return text.toString();
    }

    private static void checkpointed() {
        synchronized (LOCK) {
            checkpoints++;
            if (left > 0 && countdown == 0) {
                countdown = 1
                        + random.nextInt(
                                place == Place.TRAINER ? MOST_STEPS_AFTER_CHECKPOINT : MOST_SAMPLES_AFTER_CHECKPOINT);
            }
            LOCK.notifyAll();
        }
    }

    private static void passed(Place where) {
        synchronized (LOCK) {
            if (where == Place.TRAINER) {
                steps++;
                LOCK.notifyAll();
            }
            if (where == place && countdown > 0 && --countdown == 0) {
                left--;
                throw new IllegalStateException("a planned failure; " + left + " more are planned");
            }
        }
    }

    /** A transform that makes some samples bad, and fails as planned. */
    static final class Spoiler extends RichMapFunction<Sample, Sample> implements CheckpointListener {
        private static final long serialVersionUID = 1;

        @Override
        public Sample map(Sample sample) {
            passed(Place.BETWEEN_SOURCE_AND_PACK);
            if (sample.split() == Split.TRAIN && sample.index() % BAD_EVERY == 0) {
                sample.quarantine(new BadSample("spoil", "synthetic", sample.key(), -1, "planned to be bad"));
            }
            return sample;
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
                checkpointed();
            }
        }
    }

    /** The real training step, which fails as planned. */
    static TrainStep open(TrainSpec spec, int capacity, Device device) {
        TrainStep step = TrainStep.open(spec, capacity, device);
        return new ForwardingTrainStep(step) {
            @Override
            public StepResult train(DeviceBatch batch) {
                return enqueue(batch).result();
            }

            @Override
            public Pending<StepResult> enqueue(DeviceBatch batch) {
                LockSupport.parkNanos(STEP_NANOS);
                Pending<StepResult> pending = step.enqueue(batch);
                passed(Place.TRAINER); // the weights change even when the step then fails
                return pending;
            }
        };
    }
}
