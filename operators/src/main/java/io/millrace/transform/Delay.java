package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An artificial bottleneck for experiments, which spends a given time on each sample and changes nothing. */
final class Delay implements Transform {
    /** The way in which the time passes. */
    enum Mode {
        /** Keeps a core busy, like a slow transform. */
        BUSY,
        /** Leaves the core idle, like a remote service. */
        SLEEP
    }

    private final Mode mode;
    private final long nanos;

    private Delay(long nanos, Mode mode) {
        this.nanos = nanos;
        this.mode = mode;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) {
        long start = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            // Flink interrupts a cancelled task. The flag stays set for Flink.
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            switch (mode) {
                case BUSY -> Thread.onSpinWait();
                case SLEEP -> LockSupport.parkNanos(left);
            }
        }
    }

    /** The factory of {@code Delay}. */
    public static final class Factory implements TransformFactory {
        private static final OptionType<Double> TIME =
                OptionType.NUMBER.where(value -> value >= 0 && value <= 60_000, "0 to 60000 milliseconds");

        private static final Option<Double> MS = Option.of("ms", TIME, "Milliseconds per sample.");

        private static final Option<Mode> MODE = Option.of(
                        "mode", OptionType.choice(Mode.class), "Whether the delay keeps a core busy or leaves it idle.")
                .orElse(Mode.BUSY);

        private static final Option<Double> SLOW_MS = Option.of(
                        "slow_ms", TIME, "Milliseconds per sample in slow_slot, as on a slow machine. Default: ms.")
                .optional();

        private static final Option<Integer> SLOW_SLOT = Option.of(
                        "slow_slot",
                        OptionType.INTEGER.where(slot -> slot >= 0, "at least 0"),
                        "The number of the slow slot, from 0; only with slow_ms.")
                .orElse(0);

        @Override
        public String name() {
            return "Delay";
        }

        @Override
        public String help() {
            return "Delays each sample and does not change it, for experiments.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(MS, MODE, SLOW_MS, SLOW_SLOT);
        }

        /** Creates the delay of a slot other than {@code slow_slot}: outside of a job there are no slots. */
        @Override
        public Transform create(OptionValues options) {
            return new Delay(nanos(options.get(MS)), options.get(MODE));
        }

        @Override
        public Transform create(OptionValues options, TransformContext context) {
            boolean slow = context.slot() == options.get(SLOW_SLOT);
            double millis = slow ? options.find(SLOW_MS).orElse(options.get(MS)) : options.get(MS);
            return new Delay(nanos(millis), options.get(MODE));
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.NONE;
        }

        private static long nanos(double millis) {
            return Math.round(millis * TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
