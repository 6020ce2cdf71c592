package io.millrace.source;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A program that measures the cost of the enumerator's decisions for more readers than a test machine can run: the CPU
 * time for each range, for the failure of all readers and for each checkpoint, and the bytes of the state. The readers'
 * speeds differ by a half, and one reader in a hundred is ten times slower.
 *
 * <pre>{@code
 * mvn -q test-compile -pl operators
 * java -cp operators/target/classes:operators/target/test-classes:CLASSPATH io.millrace.source.WindowAtScale
 * }</pre>
 */
final class WindowAtScale {
    private static final long POSITIONS = 10_000_000_000L;
    private static final int RANGES = 2_000_000;
    private static final int CHECKPOINTS = 20;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private WindowAtScale() {}

    /** Prints a line for each number of readers. */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        out.println("readers  window  us/range  efficiency  widest/window  fail all ms  start all ms  back"
                + "  checkpoint us  state bytes");
        run(out, 4);
        for (int readers : new int[] {4, 16, 100, 1000}) {
            run(out, readers);
        }
    }

    private static void run(PrintStream out, int readers) throws Exception {
        ReadOptions options = ReadOptions.forDataset(1024, 100_000, readers, Long.MAX_VALUE);
        SplittableRandom random = new SplittableRandom(1);
        double[] seconds = random.doubles(readers, 1, 1.5).toArray();
        double share = 0;
        for (int reader = 0; reader < readers; reader++) {
            seconds[reader] *= reader % 100 == 99 ? 10 : 1;
            share += 1 / seconds[reader];
        }
        VirtualReaders virtual = new VirtualReaders(POSITIONS, options, readers, reader -> seconds[reader]);
        long began = THREADS.getCurrentThreadCpuTime();
        virtual.run(RANGES);
        double perRange = (THREADS.getCurrentThreadCpuTime() - began) / 1e3 / RANGES;

        // Every reader fails: the ranges assigned since the checkpoint come back, and each reader reports its others at
        // its start.
        RangeWindow window = virtual.window();
        List<List<Range>> held = new ArrayList<>();
        for (int reader = 0; reader < readers; reader++) {
            held.add(virtual.held(reader));
        }
        began = THREADS.getCurrentThreadCpuTime();
        for (int reader = 0; reader < readers; reader++) {
            window.fail(reader, held.get(reader));
        }
        double fail = (THREADS.getCurrentThreadCpuTime() - began) / 1e6;
        EnumeratorState state = window.state();
        EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
        int bytes = 0;
        began = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < CHECKPOINTS; i++) {
            bytes = serializer.serialize(window.state()).length;
        }
        double checkpoint = (THREADS.getCurrentThreadCpuTime() - began) / 1e3 / CHECKPOINTS;
        began = THREADS.getCurrentThreadCpuTime();
        for (int reader = 0; reader < readers; reader++) {
            window.start(reader, List.of(), options.readAhead() + 1);
        }
        for (int i = 0; i < readers * (options.readAhead() + 1); i++) {
            window.answer(readers);
        }
        double start = (THREADS.getCurrentThreadCpuTime() - began) / 1e6;
        out.printf(
                Locale.ROOT,
                "%7d %7d %9.2f %11.3f %14.3f %12.2f %13.2f %5d %14.1f %12d%n",
                readers,
                options.window(),
                perRange,
                virtual.samplesPerSecond() / share,
                (double) virtual.widest() / options.window() / options.rangeSize(),
                fail,
                start,
                state.returned().size(),
                checkpoint,
                bytes);
    }
}
