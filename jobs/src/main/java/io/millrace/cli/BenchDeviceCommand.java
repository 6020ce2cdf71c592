package io.millrace.cli;

import io.millrace.device.bench.BenchPlan;
import io.millrace.device.bench.BenchResult;
import io.millrace.device.bench.DeviceBench;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import io.millrace.report.Terminal;
import io.millrace.report.TerminalOutput;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code bench-device}, which measures how fast batches reach a device and how much of the copying overlaps a step. */
@Command(
        name = "bench-device",
        description = {
            "Measures how fast batches reach the device: from pageable and page-locked memory, with synchronous and"
                    + " asynchronous copies, with several batches in flight, and in pieces of several sizes. Also measures"
                    + " which share of the copying overlaps the work of the engine. The copies are those of training."
        },
        footer = {
            "  ./millrace bench-device",
            "  ./millrace bench-device --device cuda:1 --json",
            "  ./millrace bench-device --batch 38535168 --step 100ms --in-flight 4 --micro-batch 4MiB",
            "  ./millrace bench-device --device host --link 12GB/s"
        })
final class BenchDeviceCommand extends CliCommand {
    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(
            names = "--in-flight",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,4,8",
            description = "The number of batches that the device has memory for, 1 to 8. Default: ${DEFAULT-VALUE}.")
    private List<Integer> inFlight = List.of();

    @Option(
            names = "--micro-batch",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "64KiB,256KiB,1MiB,4MiB,16MiB",
            description = "The size of one copy. Default: ${DEFAULT-VALUE}.")
    private List<String> microBatches = List.of();

    @Option(
            names = "--batch",
            paramLabel = "BYTES",
            defaultValue = "32MiB",
            description = "The size of a batch, which consists of whole micro-batches. Default: ${DEFAULT-VALUE}.")
    private String batch = "";

    @Option(
            names = "--step",
            paramLabel = "TIME",
            description = "How long the engine works on a batch. Default: twice the shortest time of its copy.")
    private @Nullable String step;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "5",
            description = "The repetitions of each measurement; the median is printed. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--least",
            paramLabel = "TIME",
            defaultValue = "20ms",
            description = "The least time of each repetition. Default: ${DEFAULT-VALUE}.")
    private String least = "";

    @Override
    public Integer call() {
        BenchPlan plan = plan();
        PrintStream text = output().text();
        int[] done = new int[1];
        boolean terminal = Terminal.current().isPresent();
        PrintStream err = TerminalOutput.rawErr();
        BenchResult result = DeviceBench.run(device.opening(), plan, row -> {
            done[0]++;
            if (terminal) {
                err.print("\r" + done[0] + " of " + plan.size() + " ");
                err.flush();
            }
        });
        if (terminal) {
            err.print("\r");
        }
        BenchText.lines(result).forEach(text::println);
        output().result(BenchText.json(result));
        return ExitCode.OK;
    }

    private BenchPlan plan() {
        try {
            return new BenchPlan(
                    inFlight,
                    microBatches.stream()
                            .map(text -> bytes("--micro-batch", text))
                            .toList(),
                    bytes("--batch", batch),
                    Optional.ofNullable(step).map(text -> time("--step", text)),
                    repetitions,
                    time("--least", least));
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the size of a batch or micro-batch, which one block of memory must hold. */
    private static int bytes(String option, String text) {
        long bytes = parsed(option, OptionType.BYTES, text);
        if (bytes > BenchPlan.MOST_BYTES) {
            throw new IllegalArgumentException(
                    option + ": expected at most " + BenchPlan.MOST_BYTES + " bytes, found " + text);
        }
        return (int) bytes;
    }

    private static Duration time(String option, String text) {
        return parsed(option, TimeSpan.TYPE, text).duration();
    }

    private static <T> T parsed(String option, OptionType<T> type, String text) {
        try {
            return type.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }
}
