package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Takes a given time for each sample and changes nothing: a planted bottleneck, for experiments. */
final class Delay implements Transform {
    /** How the time passes. */
    enum Mode {
        /** Computing, as a slow transform would. */
        BUSY,
        /** Waiting, as for a remote service. */
        SLEEP
    }

    private final long nanos;
    private final Mode mode;

    private Delay(long nanos, Mode mode) {
        this.nanos = nanos;
        this.mode = mode;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) {
        long start = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            // A cancelled task is interrupted; the flag stays set for Flink.
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            switch (mode) {
                case BUSY -> Thread.onSpinWait();
                case SLEEP -> LockSupport.parkNanos(left);
            }
        }
    }

    /** {@code Delay}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Double> MS = Option.of(
                "ms",
                OptionType.NUMBER.where(value -> value >= 0 && value <= 60_000, "0 to 60000 milliseconds"),
                "Milliseconds per sample.");

        private static final Option<Mode> MODE = Option.of(
                        "mode", OptionType.choice(Mode.class), "Whether a core is kept busy meanwhile or left idle.")
                .orElse(Mode.BUSY);

        @Override
        public String name() {
            return "Delay";
        }

        @Override
        public String help() {
            return "Takes time and changes nothing, for experiments.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(MS, MODE);
        }

        @Override
        public Transform create(OptionValues options) {
            return new Delay(Math.round(options.get(MS) * TimeUnit.MILLISECONDS.toNanos(1)), options.get(MODE));
        }
    }
}
