package io.millrace.device;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's management library, which comes with the driver and returns the figures that {@code nvidia-smi} prints, of
 * all GPUs of the machine, also those that this process may not use. A call takes up to some milliseconds. Thread-safe.
 */
public final class Nvml implements AutoCloseable {
    private static final String LIBRARY = "libnvidia-ml.so.1";
    private static final int SUCCESS = 0;
    private static final int TEXT_BYTES = 96;
    private static final double MILLIWATTS = 1000;
    private static final double PERCENT = 100;

    /** A GPU of the machine. */
    public record Gpu(String uuid, String name) {}

    /**
     * The figures of a GPU now; null stands for a figure that the GPU does not provide.
     *
     * @param utilization the share of the last moments in which the GPU computed anything, 0 to 1
     * @param watts the power that the GPU uses
     */
    public record Reading(
            @Nullable Double utilization, @Nullable Double watts) {}

    private final NativeLibrary library;
    private boolean open = true;

    private Nvml(NativeLibrary library) {
        this.library = library;
    }

    /**
     * Loads the library.
     *
     * @throws DeviceException with what is missing
     */
    public static Nvml open() {
        return open(LIBRARY);
    }

    /** Loads the library, see {@link #open()}; returns empty when it is missing. */
    public static Optional<Nvml> tryOpen() {
        try {
            return Optional.of(open());
        } catch (DeviceException e) {
            return Optional.empty();
        }
    }

    /** Loads a library of another name. */
    static Nvml open(String name) {
        NativeLibrary library;
        try {
            library = NativeLibrary.getInstance(name);
        } catch (UnsatisfiedLinkError e) {
            throw new DeviceException(
                    name
                            + " was not found: GPU utilisation and power are unknown. It comes with the NVIDIA driver; in a"
                            + " container set NVIDIA_DRIVER_CAPABILITIES=compute,utility",
                    e);
        } catch (NoClassDefFoundError e) {
            throw new DeviceException(
                    "JNA, which loads " + name + ", cannot start: GPU utilisation and power are unknown", e);
        }
        Nvml opened = new Nvml(library);
        opened.check(opened.call("nvmlInit_v2"), "nvmlInit_v2");
        return opened;
    }

    private int call(String function, Object... arguments) {
        return library.getFunction(function).invokeInt(arguments);
    }

    private void check(int result, String call) {
        if (result != SUCCESS) {
            Object reason = library.getFunction("nvmlErrorString").invoke(String.class, new Object[] {result});
            throw new DeviceException(call + " failed with " + reason + " (" + result + ")");
        }
    }

    /** Returns the driver's version, such as "570.86.15". */
    public String driverVersion() {
        return text("nvmlSystemGetDriverVersion", null);
    }

    private String text(String function, @Nullable Pointer device) {
        try (Memory text = new Memory(TEXT_BYTES)) {
            text.clear();
            check(
                    device == null ? call(function, text, TEXT_BYTES) : call(function, device, text, TEXT_BYTES),
                    function);
            return text.getString(0, StandardCharsets.UTF_8.name());
        }
    }

    /** Returns all GPUs of the machine. */
    public List<Gpu> gpus() {
        IntByReference count = new IntByReference();
        check(call("nvmlDeviceGetCount_v2", count), "nvmlDeviceGetCount_v2");
        List<Gpu> gpus = new ArrayList<>();
        for (int i = 0; i < count.getValue(); i++) {
            PointerByReference device = new PointerByReference();
            check(call("nvmlDeviceGetHandleByIndex_v2", i, device), "nvmlDeviceGetHandleByIndex_v2");
            gpus.add(new Gpu(
                    text("nvmlDeviceGetUUID", device.getValue()), text("nvmlDeviceGetName", device.getValue())));
        }
        return gpus;
    }

    /**
     * Reads the figures of a GPU.
     *
     * @throws DeviceException when there is no GPU of that UUID
     */
    public Reading read(String uuid) {
        PointerByReference device = new PointerByReference();
        check(call("nvmlDeviceGetHandleByUUID", uuid, device), "nvmlDeviceGetHandleByUUID");
        try (Memory rates = new Memory(2L * Integer.BYTES)) {
            IntByReference milliwatts = new IntByReference();
            boolean used = call("nvmlDeviceGetUtilizationRates", device.getValue(), rates) == SUCCESS;
            boolean powered = call("nvmlDeviceGetPowerUsage", device.getValue(), milliwatts) == SUCCESS;
            return new Reading(
                    used ? Double.valueOf(rates.getInt(0) / PERCENT) : null,
                    powered ? Double.valueOf(milliwatts.getValue() / MILLIWATTS) : null);
        }
    }

    /** Shuts the library down; closing again does nothing. */
    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            check(call("nvmlShutdown"), "nvmlShutdown");
        }
    }
}
