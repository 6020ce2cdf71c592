package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Takes a given time for each sample and changes nothing: a planted bottleneck, for experiments. */
final class Delay implements Transform {
    /** How the time passes. */
    enum Mode {
        /** Computing, as a slow transform would. */
        BUSY,
        /** Waiting, as for a remote service. */
        SLEEP
    }

    /**
     * Where more is waited.
     *
     * @param slot from 0
     * @param nanos per sample
     */
    private record SlowSlot(int slot, long nanos) {}

    private final Mode mode;
    private final @Nullable SlowSlot slow;
    private long nanos;

    private Delay(long nanos, Mode mode, @Nullable SlowSlot slow) {
        this.nanos = nanos;
        this.mode = mode;
        this.slow = slow;
    }

    @Override
    public void inSlot(int slot) {
        if (slow != null && slow.slot == slot) {
            nanos = slow.nanos;
        }
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
        private static final OptionType<Double> TIME =
                OptionType.NUMBER.where(value -> value >= 0 && value <= 60_000, "0 to 60000 milliseconds");

        private static final Option<Double> MS = Option.of("ms", TIME, "Milliseconds per sample.");

        private static final Option<Mode> MODE = Option.of(
                        "mode", OptionType.choice(Mode.class), "Whether a core is kept busy meanwhile or left idle.")
                .orElse(Mode.BUSY);

        private static final Option<Double> SLOW_MS = Option.of(
                        "slow_ms", TIME, "Milliseconds per sample in slow_slot, as on a slow machine. Default: ms.")
                .optional();

        private static final Option<Integer> SLOW_SLOT = Option.of(
                        "slow_slot", OptionType.INTEGER.where(slot -> slot >= 0, "at least 0"), "A slot, from 0.")
                .orElse(0);

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
            return List.of(MS, MODE, SLOW_MS, SLOW_SLOT);
        }

        @Override
        public Transform create(OptionValues options) {
            return new Delay(
                    nanos(options.get(MS)),
                    options.get(MODE),
                    options.find(SLOW_MS)
                            .map(ms -> new SlowSlot(options.get(SLOW_SLOT), nanos(ms)))
                            .orElse(null));
        }

        private static long nanos(double millis) {
            return Math.round(millis * TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
