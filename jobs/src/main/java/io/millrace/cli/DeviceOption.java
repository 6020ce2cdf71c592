package io.millrace.cli;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceException;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import io.millrace.run.UsageException;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select the device to measure; a mixin. */
final class DeviceOption {
    private static final String HOST = "host";
    private static final Pattern CUDA = Pattern.compile("cuda(?::([0-9]{1,4}))?");

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description = "host, cuda or cuda:1. Default: cuda:0 if the machine has a GPU, else host.")
    private @Nullable String device;

    @Option(
            names = "--link",
            paramLabel = "RATE",
            description = "Simulate a link to the host with this throughput, for example 12GB/s.")
    private @Nullable String link;

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            description = "With --link: the additional time of each copy, for example 1ms.")
    private @Nullable String latency;

    /**
     * Returns a function that opens the device.
     *
     * @throws UsageException when the options name no device or contradict each other
     */
    Supplier<Device> opening() {
        String named = device;
        if (link != null || latency != null) {
            if (named != null && !named.equals(HOST)) {
                throw new UsageException(
                        "--link and --latency simulate a device: expected --device host, found " + named);
            }
            SimulatedLink simulated = link();
            return () -> new HostDevice(simulated);
        }
        if (named == null) {
            return hasCuda() ? () -> CudaDevice.open(0) : HostDevice::new;
        }
        if (named.equals(HOST)) {
            return HostDevice::new;
        }
        Matcher cuda = CUDA.matcher(named);
        if (!cuda.matches()) {
            throw new UsageException("--device: expected host, cuda or a device such as cuda:1, found '" + named + "'");
        }
        int number = cuda.group(1) == null ? 0 : Integer.parseInt(cuda.group(1));
        return () -> CudaDevice.open(number);
    }

    private static boolean hasCuda() {
        try {
            return CudaDevice.count() > 0;
        } catch (DeviceException e) {
            return false; // ./millrace devices prints the reason
        }
    }

    private SimulatedLink link() {
        String rate = link;
        String late = latency;
        try {
            return new SimulatedLink(
                    rate == null ? SimulatedLink.UNLIMITED : OptionType.BYTES.parse(rate.replaceFirst("/s$", "")),
                    late == null ? Duration.ZERO : TimeSpan.TYPE.parse(late).duration());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--link, --latency: " + e.getMessage());
        }
    }
}
