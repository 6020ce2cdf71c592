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

/** Which device a command measures; a mixin. */
final class DeviceOption {
    private static final String HOST = "host";
    private static final Pattern CUDA = Pattern.compile("cuda(?::([0-9]{1,4}))?");

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description = "host, cuda or cuda:1. Default: cuda:0 where there is one, else host.")
    private @Nullable String device;

    @Option(
            names = "--link",
            paramLabel = "RATE",
            description = "The host as if it were reached over a link of that speed, as 12GB/s.")
    private @Nullable String link;

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            description = "With --link: how much longer each copy takes, as 1ms.")
    private @Nullable String latency;

    /**
     * What opens it.
     *
     * @throws UsageException when what the user gives is none
     */
    Supplier<Device> opening() {
        String named = device;
        if (link != null || latency != null) {
            if (named != null && !named.equals(HOST)) {
                throw new UsageException("--link and --latency simulate: expected --device host, found " + named);
            }
            SimulatedLink simulated = link();
            return () -> new HostDevice(simulated);
        }
        if (named == null) {
            return isCudaThere() ? () -> CudaDevice.open(0) : HostDevice::new;
        }
        if (named.equals(HOST)) {
            return HostDevice::new;
        }
        Matcher cuda = CUDA.matcher(named);
        if (!cuda.matches()) {
            throw new UsageException("--device: expected host, cuda or a device as cuda:1, found '" + named + "'");
        }
        int number = cuda.group(1) == null ? 0 : Integer.parseInt(cuda.group(1));
        return () -> CudaDevice.open(number);
    }

    private static boolean isCudaThere() {
        try {
            return CudaDevice.count() > 0;
        } catch (DeviceException e) {
            return false; // ./millrace devices tells why
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
