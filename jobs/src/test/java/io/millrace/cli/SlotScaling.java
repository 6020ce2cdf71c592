package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.TestCluster;
import io.millrace.served.ClientProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A program that measures how throughput grows with data slots that need no CPU, on a cluster of four TaskManagers:
 *
 * <pre>
 * java [options of the launcher] -cp (test class path of jobs) io.millrace.cli.SlotScaling
 * </pre>
 *
 * <p>Each sample sleeps 50 ms, as if another machine decoded it, and each slot has 800 samples. This is not a test, because it
 * takes minutes.
 */
public final class SlotScaling {
    private static final int TASK_MANAGERS = 4;
    private static final int SLOTS_EACH = 4;
    private static final int SAMPLES_EACH = 800;
    private static final List<Integer> SLOTS = List.of(1, 2, 4, 8, 16);

    private SlotScaling() {}

    /** Prints a line for each number of slots: the samples/s of the trainer, and their share of linear growth. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("slot-scaling");
        Map<String, String> settings = Map.of(
                "taskmanager.numberOfTaskSlots",
                String.valueOf(SLOTS_EACH),
                "cluster.evenly-spread-out-slots",
                "true",
                "taskmanager.memory.task.heap.size",
                "256m");
        try (TestCluster cluster = TestCluster.start(
                folder.resolve("cluster"),
                ClusterStart.of(TestCluster.settings("local").with(settings), TASK_MANAGERS))) {
            ClientProcess programs = new ClientProcess(folder);
            double one = 0;
            for (int slots : SLOTS) {
                double reached = samplesPerSecond(folder, cluster, programs, slots);
                one = slots == 1 ? reached : one;
                System.out.println(String.format(
                        Locale.ROOT,
                        "%2d slots: %.2f samples/s, %.3f of linear",
                        slots,
                        reached,
                        reached / one / slots));
            }
        }
    }

    private static double samplesPerSecond(Path folder, TestCluster cluster, ClientProcess programs, int slots)
            throws Exception {
        Path pipeline = Files.writeString(
                folder.resolve("delayed.yaml"), """
                dataset: { format: synthetic, size: %d, shape: [8, 8, 3] }
                transforms: [ Delay: { ms: 50, mode: sleep } ]
                train: { model: none }
                parallelism: %d
                batch: { size: 16 }
                run: { folder: %s }
                """.formatted(SAMPLES_EACH * slots, slots, folder.resolve("runs")));
        ClientProcess.Ended run =
                programs.millrace("train", pipeline.toString(), "--cluster", cluster.address(), "--json");
        if (run.exitCode() != 0) {
            throw new IllegalStateException(run.err());
        }
        JsonNode summary = SlowTraining.json(run.out().lines().reduce("", (first, second) -> second));
        RunHistory history = new RunHistory(CommandRun.folder(folder.resolve("runs")));
        // Samples that were ready before the trainer started would count as if they took no time.
        return history.samplesPerSecond(summary.required("steps").asInt() / 2);
    }
}
