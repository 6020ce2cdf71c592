package io.millrace.device;

import com.sun.jna.Function;
import com.sun.jna.ptr.IntByReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUuuid;
import jcuda.driver.JCudaDriver;

/**
 * The NVIDIA driver of this machine, used through JCuda's Driver API, whose library needs only {@code libcuda.so.1}. It
 * is loaded at the first use and never unloaded. Thread-safe.
 *
 * <p>Tested by {@code GpuClaimsE2E} and {@code CudaTransferTest}.
 */
final class CudaDriver {
    /** The oldest version that PyTorch's CUDA 12 builds run with: CUDA 12.0, drivers from 525 on. */
    static final int OLDEST_VERSION = 12000;

    private static final int MAJOR = 1000;
    private static final int MINOR = 10;
    private static final int NAME_BYTES = 256;
    private static final int UUID_BYTES = 16;

    /** Room for the address of a PCI domain of 8 digits, and the zero after it. */
    private static final int ADDRESS_CHARACTERS = 17;

    private static final String GPU = "GPU-";

    private CudaDriver() {}

    /**
     * Loads the driver and checks that it can be used.
     *
     * @return the number of devices, at least 1
     * @throws DeviceException with what is missing, when the driver cannot be used
     */
    static int devices() {
        CudaLibrary.load();
        CudaErrors.check(JCudaDriver.cuInit(0), "cuInit", "to find GPUs");
        int[] version = new int[1];
        CudaErrors.check(JCudaDriver.cuDriverGetVersion(version), "cuDriverGetVersion", "to find GPUs");
        if (version[0] < OLDEST_VERSION) {
            throw new DeviceException("the NVIDIA driver is too old: it is for CUDA " + version(version[0])
                    + ", expected one for CUDA " + version(OLDEST_VERSION)
                    + " or newer (version 525 or newer; nvidia-smi shows it). Update the driver");
        }
        int[] count = new int[1];
        CudaErrors.check(JCudaDriver.cuDeviceGetCount(count), "cuDeviceGetCount", "to find GPUs");
        if (count[0] == 0) {
            throw new NoGpuException("the NVIDIA driver finds no GPU that it may use. Check nvidia-smi,"
                    + " CUDA_VISIBLE_DEVICES, and in a container that the GPU was passed in");
        }
        return count[0];
    }

    /** Returns a device by its number, from 0. */
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

    /** Returns the device's name, as "NVIDIA H200". */
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

    /** Returns the driver's facts of a device. */
    static GpuFacts facts(int number) {
        CUdevice device = device(number);
        String what = "of cuda:" + number;
        long[] bytes = new long[1];
        CudaErrors.check(JCudaDriver.cuDeviceTotalMem(bytes, device), "cuDeviceTotalMem", what);
        CUuuid uuid = new CUuuid();
        uuid.bytes = new byte[UUID_BYTES];
        CudaErrors.check(JCudaDriver.cuDeviceGetUuid(uuid, device), "cuDeviceGetUuid", what);
        return new GpuFacts(
                number,
                name(device, number),
                GPU + text(uuid.bytes),
                bytes[0],
                attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device, what)
                        + "."
                        + attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device, what));
    }

    private static int attribute(int attribute, CUdevice device, String what) {
        int[] value = new int[1];
        CudaErrors.check(JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute", what);
        return value[0];
    }

    /** Returns a UUID as nvidia-smi prints it after the kind of device. */
    private static String text(byte[] uuid) {
        ByteBuffer bytes = ByteBuffer.wrap(uuid);
        return new UUID(bytes.getLong(), bytes.getLong()).toString();
    }

    /**
     * Returns the UUID of a device that several processes must not use at the same time: of a part of a GPU in MIG mode,
     * as "MIG-...", or else of the GPU. Newer drivers return the UUID of a part by a function that JCuda lacks.
     */
    static String uuid(int number) {
        String gpu = facts(number).uuid();
        Function call = CudaLibrary.function("cuDeviceGetUuid_v2").orElse(null);
        Function get = CudaLibrary.function("cuDeviceGet").orElse(null);
        if (call == null || get == null) {
            return gpu;
        }
        String what = "of cuda:" + number;
        IntByReference handle = new IntByReference();
        CudaErrors.check(get.invokeInt(new Object[] {handle, number}), "cuDeviceGet", what);
        byte[] uuid = new byte[UUID_BYTES];
        CudaErrors.check(call.invokeInt(new Object[] {uuid, handle.getValue()}), "cuDeviceGetUuid_v2", what);
        String found = text(uuid);
        return gpu.equals(GPU + found) ? gpu : "MIG-" + found;
    }

    /** Returns the PCI address of a device, as "0000:3B:00.0": drivers differ in the case of letters and the domain's digits. */
    static String pciAddress(int number) {
        String[] address = new String[1];
        CudaErrors.check(
                JCudaDriver.cuDeviceGetPCIBusId(address, ADDRESS_CHARACTERS, device(number)),
                "cuDeviceGetPCIBusId",
                "of cuda:" + number);
        return address[0];
    }

    /** Returns the newest CUDA version that the driver supports, as "12.8"; {@link #devices} must have been called. */
    static String version() {
        int[] version = new int[1];
        CudaErrors.check(JCudaDriver.cuDriverGetVersion(version), "cuDriverGetVersion", "to find GPUs");
        return version(version[0]);
    }

    private static String version(int version) {
        return version / MAJOR + "." + version % MAJOR / MINOR;
    }
}
