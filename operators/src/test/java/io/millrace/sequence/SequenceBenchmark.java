package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A program that prints the figures of packing, balance and buckets: {@code fill}, {@code auto}, {@code balance}, {@code arrange},
 * {@code bucket}, {@code time} or {@code plan FOLDER DOCUMENTS}. Times are CPU times of one thread, the least of several rounds.
 */
public final class SequenceBenchmark {
    private static final int[] LENGTHS = {2048, 8192, 32_768};
    private static final int DOCUMENTS = 1 << 18;
    private static final int ROUNDS = 15;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The share of attention in the work of a model with 7 * 10^9 parameters, a token of context. */
    private static final SequenceCost MODEL = new SequenceCost(1, 1.87e-5);

    private SequenceBenchmark() {}

    /** Prints the figures of the kind that the first argument names. */
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "fill" -> fill();
            case "auto" -> auto();
            case "balance" -> balance();
            case "arrange" -> arrange();
            case "bucket" -> bucket();
            case "time" -> time();
            case "plan" -> plan(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
            default ->
                throw new IllegalArgumentException(
                        "expected fill, auto, balance, arrange, bucket, time or plan, found " + arguments[0]);
        }
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    private static void fill() {
        for (LengthSamples documents : LengthSamples.values()) {
            int[] lengths = documents.lengths(DOCUMENTS, 1);
            for (int length : LENGTHS) {
                for (int window : PackChoice.WINDOWS) {
                    StringBuilder line = new StringBuilder();
                    for (PackPolicy policy : PackPolicy.values()) {
                        if (policy != PackPolicy.NONE) {
                            PackTotals totals = pack(new PackRule(length, policy, window, Overlong.SPLIT), lengths);
                            line.append(String.format(
                                    Locale.ROOT,
                                    " | %.2f (%.1f split)",
                                    100 * totals.fill(length),
                                    100.0 * totals.split() / DOCUMENTS));
                        }
                    }
                    print("%s %d W=%d%s", documents, length, window, line);
                }
            }
        }
    }

    private static PackTotals pack(PackRule rule, int[] lengths) {
        WindowPacker packer = new WindowPacker(rule);
        for (int first = 0; first < lengths.length; first += rule.window()) {
            packer.pack(Arrays.copyOfRange(lengths, first, first + rule.window()), rule.window());
        }
        return packer.totals();
    }

    private static void auto() {
        for (LengthSamples documents : LengthSamples.values()) {
            for (int length : LENGTHS) {
                print(
                        "%s %s",
                        documents,
                        PackChoice.choose(
                                        length,
                                        Overlong.SPLIT,
                                        PackChoice.WINDOWS,
                                        PackChoice.POLICIES,
                                        documents.lengths(1 << 16, 2),
                                        Long.MAX_VALUE)
                                .reason());
            }
        }
    }

    private static void balance() {
        for (int[] shape : new int[][] {{4, 1}, {1, 4}, {4, 4}}) {
            for (LengthSamples documents : LengthSamples.values()) {
                for (int length : new int[] {8192, 32_768}) {
                    for (int ranks : new int[] {8, 64, 512}) {
                        balance(documents, length, ranks, shape[0], shape[1]);
                    }
                }
            }
        }
    }

    private static void arrange() {
        for (int[] shape : new int[][] {{8, 1}, {8, 4}, {64, 1}, {64, 4}, {128, 1}, {128, 4}, {512, 1}}) {
            int batch = 512;
            BalancedRows rows = new BalancedRows(shape[0], shape[1], batch, row -> 0);
            List<double[]> costs = new ArrayList<>();
            for (LengthSamples documents : LengthSamples.values()) {
                for (List<List<Slice>> packs : WorkRatios.batches(documents, 32_768, batch, 20)) {
                    costs.add(packs.stream().mapToDouble(MODEL::of).toArray());
                }
            }
            int times = 20;
            long nanos = least(() -> {
                for (int i = 0; i < times; i++) {
                    costs.forEach(rows::arrange);
                }
            });
            print(
                    "%d ranks, %d micro-batches of %d rows: %.0f us",
                    shape[0], shape[1], batch, nanos / 1e3 / times / costs.size());
        }
    }

    private static void balance(LengthSamples documents, int length, int ranks, int microBatches, int each) {
        List<List<List<Slice>>> batches =
                WorkRatios.batches(documents, length, ranks * microBatches * each, ranks == 8 ? 200 : 20);
        StringBuilder line = new StringBuilder();
        for (SequenceCost measured : new SequenceCost[] {MODEL, SequenceCost.TOKENS}) {
            for (boolean arranged : new boolean[] {false, true}) {
                WorkRatios ratios = WorkRatios.simulate(batches, ranks, microBatches, MODEL, measured, arranged);
                line.append(String.format(
                        Locale.ROOT,
                        " | %s%s %.3f (worst %.3f) step %.4f (worst %.3f)",
                        measured.equals(MODEL) ? "work" : "tokens",
                        arranged ? "" : " unarranged",
                        ratios.microBatch(),
                        ratios.worst(),
                        ratios.step(),
                        ratios.worstStep()));
            }
            double limit = measured.equals(MODEL) ? 1.04 : 1.01;
            double[] bounds = batches.stream()
                    .mapToDouble(packs -> bound(packs, measured, ranks, measured.equals(MODEL) && each == 1))
                    .toArray();
            line.append(String.format(
                    Locale.ROOT,
                    " bound %.4f (worst %.3f, %d of %d steps above %.2f)",
                    Arrays.stream(bounds).average().orElseThrow(),
                    Arrays.stream(bounds).max().orElseThrow(),
                    Arrays.stream(bounds).filter(bound -> bound > limit).count(),
                    bounds.length,
                    limit));
        }
        print("%s %d: %d ranks, %d micro-batches of %d rows%s", documents, length, ranks, microBatches, each, line);
    }

    private static double bound(List<List<Slice>> packs, SequenceCost cost, int ranks, boolean fastMicroBatches) {
        double[] costs = packs.stream().mapToDouble(cost::of).toArray();
        double most = fastMicroBatches ? WorkBound.fastMicroBatches(costs, ranks) : WorkBound.anyDivision(costs, ranks);
        return most * ranks / Arrays.stream(costs).sum();
    }

    private static void bucket() {
        int batch = 64;
        for (LengthSamples documents : LengthSamples.values()) {
            // Documents that are not packed are cut.
            int[] lengths = Arrays.stream(documents.lengths(1 << 16, 1))
                    .map(n -> Math.min(n, 4096))
                    .toArray();
            print("%s arrival: padding %.1f %%", documents, 100 * LengthBuckets.padding(lengths, batch));
            for (int[] boundaries :
                    new int[][] {{256, 512, 1024, 2048}, {64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896}
                    }) {
                for (int window : new int[] {4096, 16_384}) {
                    EpochOrder stored = new EpochOrder(1, lengths.length, Shuffle.NONE);
                    ArrangedOrder order = new ArrangedOrder(
                            stored, window, new LengthBuckets(boundaries, batch, 1, row -> lengths[(int) row.index()]));
                    int[] arranged = IntStream.range(0, lengths.length)
                            .map(i -> lengths[(int) order.at(0, i).index()])
                            .toArray();
                    print(
                            "%s %d buckets, window %d: padding %.1f %%",
                            documents, boundaries.length + 1, window, 100 * LengthBuckets.padding(arranged, batch));
                }
            }
        }
    }

    private static void time() {
        for (LengthSamples documents : LengthSamples.values()) {
            int[] lengths = documents.lengths(DOCUMENTS, 1);
            for (int length : LENGTHS) {
                for (int window : new int[] {1024, 16_384}) {
                    StringBuilder line = new StringBuilder();
                    for (PackPolicy policy : PackPolicy.values()) {
                        PackRule rule = new PackRule(length, policy, window, Overlong.SPLIT);
                        line.append(String.format(
                                Locale.ROOT,
                                " %s %.0f",
                                policy,
                                (double) least(() -> pack(rule, lengths)) / DOCUMENTS));
                    }
                    print("%s %d W=%d ns a document:%s", documents, length, window, line);
                }
            }
        }
    }

    private static long least(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long began = THREADS.getCurrentThreadCpuTime();
            work.run();
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - began);
        }
        return least;
    }

    /** Makes a file of lengths and a plan, and prints the wall-clock times and the heap. */
    private static void plan(Path folder, int documents) throws IOException {
        Path file = folder.resolve("benchmark.lengths");
        byte[] key = {1};
        int chunk = 1 << 16;
        long began = System.nanoTime();
        int[] lengths = LengthSamples.WEB.lengths(chunk, 1);
        try (LengthsWriter writer = LengthsWriter.open(file, key, documents, others -> {})) {
            for (int first = 0; first < documents; first += chunk) {
                writer.write(first, lengths, Math.min(chunk, documents - first));
            }
            print("write %.1f s", (System.nanoTime() - began) / 1e9);
            writer.publish();
        }
        print("write and publish %.1f s, %d bytes", (System.nanoTime() - began) / 1e9, Files.size(file));
        began = System.nanoTime();
        LengthsFile opened = LengthsFile.open(file, key, documents);
        print("open %.2f s", (System.nanoTime() - began) / 1e9);
        for (Shuffle shuffle : new Shuffle[] {Shuffle.NONE, Shuffle.Blocks.STANDARD, Shuffle.FULL}) {
            for (PackPolicy policy : new PackPolicy[] {PackPolicy.BEST_FIT, PackPolicy.BEST_FIT_DECREASING}) {
                EpochOrder order = new EpochOrder(42, documents, shuffle);
                PackRule rule = new PackRule(8192, policy, 4096, Overlong.SPLIT);
                began = System.nanoTime();
                long cpu = processNanos();
                SequencePlan plan = new PackCounter(order, rule, opened).count();
                print(
                        "count %s %s: %.1f ns a document of wall-clock time, %.1f of CPU time; %d packs, fill %.2f %%",
                        shuffle,
                        policy,
                        (System.nanoTime() - began) / (double) documents,
                        (processNanos() - cpu) / (double) documents,
                        plan.packs(),
                        100 * plan.totals().fill(rule.length()));
                seeks(plan, opened);
            }
        }
        print(
                "heap %d MB",
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
        Files.delete(file);
    }

    private static void seeks(SequencePlan plan, DocumentLengths lengths) {
        PlannedPacks packs = new PlannedPacks(plan, lengths);
        Random random = new Random(3);
        int count = 2000;
        long began = THREADS.getCurrentThreadCpuTime();
        plan.place(1, 0);
        double round = (THREADS.getCurrentThreadCpuTime() - began) / 1e6;
        began = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < count; i++) {
            packs.pack(1, (long) (random.nextDouble() * plan.packs()));
        }
        double seek = (THREADS.getCurrentThreadCpuTime() - began) / 1e3 / count;
        long number = plan.packs() / 2;
        packs.pack(1, number);
        int sequential = 200_000;
        began = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < sequential; i++) {
            packs.pack(1, number + i);
        }
        print(
                "  a new round %.1f ms, a seek %.0f us, the next pack %.2f us",
                round, seek, (THREADS.getCurrentThreadCpuTime() - began) / 1e3 / sequential);
    }

    private static long processNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
