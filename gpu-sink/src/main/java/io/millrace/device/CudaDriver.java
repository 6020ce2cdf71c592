package io.millrace.device;

import java.nio.charset.StandardCharsets;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * The NVIDIA driver of this machine, reached through JCuda's Driver API, whose library needs {@code libcuda.so.1} alone.
 * Loaded at the first use and never unloaded. Thread-safe.
 */
final class CudaDriver {
    /** What PyTorch's CUDA 12 builds run with: CUDA 12.0, drivers from 525 on. */
    static final int OLDEST_VERSION = 12000;

    private static final int MAJOR = 1000;
    private static final int MINOR = 10;
    private static final int NAME_BYTES = 256;

    private CudaDriver() {}

    /**
     * Loads the driver and checks that it can be used.
     *
     * @return how many devices there are, at least 1
     * @throws DeviceException with what is missing when it cannot
     */
    static int devices() {
        try {
            CudaErrors.check(JCudaDriver.cuInit(0), "cuInit", "to find GPUs");
        } catch (LinkageError e) {
            throw missing(e);
        }
        int[] version = new int[1];
        CudaErrors.check(JCudaDriver.cuDriverGetVersion(version), "cuDriverGetVersion", "to find GPUs");
        if (version[0] < OLDEST_VERSION) {
            throw new DeviceException("the NVIDIA driver is too old: it is for CUDA " + told(version[0])
                    + ", expected one for CUDA " + told(OLDEST_VERSION)
                    + " or newer (version 525 or newer; nvidia-smi shows it). Update the driver");
        }
        int[] count = new int[1];
        CudaErrors.check(JCudaDriver.cuDeviceGetCount(count), "cuDeviceGetCount", "to find GPUs");
        if (count[0] == 0) {
            throw new DeviceException("the NVIDIA driver finds no GPU that it may use. Check nvidia-smi,"
                    + " CUDA_VISIBLE_DEVICES, and in a container that the GPU was passed in");
        }
        return count[0];
    }

    /** A device by its number, from 0. */
    static CUdevice device(int number) {
        int count = devices();
        if (number < 0 || number >= count) {
            throw new DeviceException("there is no device cuda:" + number + ": expected "
                    + (count == 1
                            ? "0, the machine's one GPU"
                            : "0 to " + (count - 1) + ", the machine has " + count + " GPUs")
                    + " (CUDA_VISIBLE_DEVICES hides others)");
        }
        CUdevice device = new CUdevice();
        CudaErrors.check(JCudaDriver.cuDeviceGet(device, number), "cuDeviceGet", "of cuda:" + number);
        return device;
    }

    /** The device's name, as "NVIDIA H200". */
    static String name(CUdevice device, int number) {
        byte[] name = new byte[NAME_BYTES];
        CudaErrors.check(
                JCudaDriver.cuDeviceGetName(name, name.length, device), "cuDeviceGetName", "of cuda:" + number);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    private static String told(int version) {
        return version / MAJOR + "." + version % MAJOR / MINOR;
    }

    private static DeviceException missing(LinkageError e) {
        String reason = String.valueOf(e.getMessage());
        // JCuda's message has the stack traces of two attempts; the second time Java tells of a class it could not
        // load.
        boolean driver = reason.contains("libcuda.so") || e instanceof NoClassDefFoundError;
        return new DeviceException(
                driver
                        ? "there is no NVIDIA driver: libcuda.so.1 was not found. Where the machine has a GPU, install its"
                                + " driver; in a container pass the GPU in (docker run --gpus all)"
                        : "JCuda's library cannot be loaded: "
                                + reason.lines().findFirst().orElse("")
                                + ". CUDA devices are supported on Linux x86_64",
                e);
    }
}
