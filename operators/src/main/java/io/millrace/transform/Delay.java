package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An artificial bottleneck for experiments, which spends a given time and memory on each sample and changes nothing. */
final class Delay implements Transform {
    /** The way in which the time passes. */
    enum Mode {
        /** Keeps a core busy for this CPU time, like a slow transform, which takes longer when other threads share the core. */
        BUSY {
            @Override
            long nanos() {
                return THREADS.getCurrentThreadCpuTime();
            }

            @Override
            void pass(long nanos) {
                Thread.onSpinWait();
            }
        },
        /** Leaves the core idle for this time, like a remote service. */
        SLEEP {
            @Override
            long nanos() {
                return System.nanoTime();
            }

            @Override
            void pass(long nanos) {
                LockSupport.parkNanos(nanos);
            }
        };

        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        /** Returns the clock of the time that passes, in nanoseconds; only differences have a meaning. */
        abstract long nanos();

        /** Lets a part of the given time pass. */
        abstract void pass(long nanos);
    }

    /** The size of each allocated object, with its header. Small objects cost a collection more than large ones. */
    private static final int OBJECT_BYTES = 64;

    private static final int HEADER_BYTES = 16;

    private final Mode mode;
    private final long nanos;
    private final int objects;

    /** The objects of the latest samples, so that collections have to copy them. */
    private final byte[][][] held;

    /** The position in {@link #held} of the oldest objects, which the next sample's objects replace. */
    private int next;

    private Delay(long nanos, Mode mode, long bytes, int hold) {
        this.nanos = nanos;
        this.mode = mode;
        this.objects = Math.toIntExact(bytes / OBJECT_BYTES);
        this.held = new byte[hold][0][];
    }

    @Override
    public void apply(Sample sample, SampleRandom random) {
        if (objects > 0) {
            byte[][] allocated = new byte[objects][];
            for (int i = 0; i < objects; i++) {
                allocated[i] = new byte[OBJECT_BYTES - HEADER_BYTES];
            }
            held[next] = allocated;
            next = (next + 1) % held.length;
        }
        long start = mode.nanos();
        for (long left = nanos; left > 0; left = nanos - (mode.nanos() - start)) {
            // Flink interrupts a cancelled task. The flag stays set for Flink.
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            mode.pass(left);
        }
    }

    /** The factory of {@code Delay}. */
    public static final class Factory implements TransformFactory {
        private static final OptionType<Double> TIME =
                OptionType.NUMBER.where(value -> value >= 0 && value <= 60_000, "0 to 60000 milliseconds");

        private static final Option<Double> MS =
                Option.of("ms", TIME, "Milliseconds per sample, of CPU time if the core is busy.");

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

        private static final Option<Long> ALLOCATE = Option.of(
                        "allocate",
                        OptionType.BYTES.where(bytes -> bytes >= 0 && bytes <= 1L << 30, "at most 1GiB"),
                        "Bytes of small objects that each sample creates, as work for the garbage collector.")
                .orElse(0L);

        private static final Option<Integer> HOLD = Option.of(
                        "hold",
                        OptionType.integers(1, 1000),
                        "The number of latest samples whose objects stay in memory; only with allocate.")
                .orElse(1);

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
            return List.of(MS, MODE, SLOW_MS, SLOW_SLOT, ALLOCATE, HOLD);
        }

        /** Creates the delay of a slot other than {@code slow_slot}: outside of a job there are no slots. */
        @Override
        public Transform create(OptionValues options) {
            return create(options, options.get(MS));
        }

        @Override
        public Transform create(OptionValues options, TransformContext context) {
            boolean slow = context.slot() == options.get(SLOW_SLOT);
            double millis = slow ? options.find(SLOW_MS).orElse(options.get(MS)) : options.get(MS);
            return create(options, millis);
        }

        private static Delay create(OptionValues options, double millis) {
            long allocate = options.get(ALLOCATE);
            int hold = options.get(HOLD);
            if (hold > 1 && allocate < OBJECT_BYTES) {
                throw new IllegalArgumentException(
                        "Delay: 'hold' keeps the objects of 'allocate' in memory: expected" + " allocate of at least "
                                + OBJECT_BYTES + " bytes with hold: " + hold + ", found " + allocate);
            }
            return new Delay(nanos(millis), options.get(MODE), allocate, hold);
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
