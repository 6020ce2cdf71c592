package io.millrace.cli;

import io.millrace.device.bench.BenchPlan;
import io.millrace.device.bench.BenchResult;
import io.millrace.device.bench.DeviceBench;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import io.millrace.report.Terminal;
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

/** {@code bench-device}: how fast batches come to a device, and how much of that a step hides. */
@Command(
        name = "bench-device",
        description = {
            "Measures how fast batches come to the device: from pageable and page-locked memory, waited for and not, with"
                    + " several batches in flight, in pieces of several sizes; and which part of that passes while the"
                    + " engine works. The way is that of training."
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
            description = "Batches that the device has memory for, 1 to 8. Default: ${DEFAULT-VALUE}.")
    private List<Integer> inFlight = List.of();

    @Option(
            names = "--micro-batch",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "64KiB,256KiB,1MiB,4MiB,16MiB",
            description = "What is copied at a time. Default: ${DEFAULT-VALUE}.")
    private List<String> microBatches = List.of();

    @Option(
            names = "--batch",
            paramLabel = "BYTES",
            defaultValue = "32MiB",
            description = "A batch, as many micro-batches as fit. Default: ${DEFAULT-VALUE}.")
    private String batch = "";

    @Option(
            names = "--step",
            paramLabel = "TIME",
            description = "How long the engine works on a batch. Default: twice what its copy takes at best.")
    private @Nullable String step;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "5",
            description = "Of each measurement; the median is told. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--least",
            paramLabel = "TIME",
            defaultValue = "20ms",
            description = "How long each takes at least. Default: ${DEFAULT-VALUE}.")
    private String least = "";

    @Override
    public Integer call() {
        BenchPlan plan = plan();
        PrintStream text = output().text();
        int[] done = new int[1];
        boolean terminal = Terminal.current().isPresent();
        BenchResult result = DeviceBench.run(device.opening(), plan, row -> {
            done[0]++;
            if (terminal) {
                System.err.print("\r" + done[0] + " of " + plan.size() + " ");
                System.err.flush();
            }
        });
        if (terminal) {
            System.err.print("\r");
        }
        BenchText.lines(result).forEach(text::println);
        output().result(BenchText.json(result));
        return ExitCode.OK;
    }

    private BenchPlan plan() {
        try {
            return new BenchPlan(
                    inFlight,
                    microBatches.stream().map(BenchDeviceCommand::bytes).toList(),
                    bytes(batch),
                    Optional.ofNullable(step).map(BenchDeviceCommand::time),
                    repetitions,
                    time(least));
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static int bytes(String text) {
        return (int) Math.min(Integer.MAX_VALUE, OptionType.BYTES.parse(text));
    }

    private static Duration time(String text) {
        return TimeSpan.TYPE.parse(text).duration();
    }
}
