package io.millrace.device;

import jcuda.driver.CUresult;

/** The meaning of the driver's error codes. Stateless. */
final class CudaErrors {
    /**
     * An error code of CUDA 12.8 without a constant in JCuda 12.6: an error that the GPU contained, as of memory
     * reached over NVLink.
     */
    private static final int CONTAINED = 226;

    /** An error code of CUDA 12.8: a kernel that ended without giving back the memory of its tensor cores. */
    private static final int TENSOR_MEMORY_LEAK = 721;

    /** The first call. Before it there is no state to lose, so an error of it would also occur in a new process. */
    private static final String INIT = "cuInit";

    private CudaErrors() {}

    /**
     * Throws unless a call succeeded.
     *
     * @param result the driver's result code
     * @param call the function, as the driver's manual names it
     * @param why the purpose of the call, as "for a batch of 64 rows on cuda:0"
     * @throws NoGpuException when the driver finds no GPU
     * @throws DeviceMemoryException when there is too little memory
     * @throws DeviceBrokenException when the process can use the device no more
     * @throws DeviceException for every other error
     */
    static void check(int result, String call, String why) {
        if (result == CUresult.CUDA_SUCCESS) {
            return;
        }
        String failed = call + " " + why + " failed with " + name(result) + " (" + result + ")";
        boolean sticky = isSticky(result) && !(result == CUresult.CUDA_ERROR_UNKNOWN && call.equals(INIT));
        if (result == CUresult.CUDA_ERROR_NO_DEVICE && call.equals(INIT)) {
            throw new NoGpuException(failed + advice(result));
        }
        DeviceException failure = new DeviceException(sticky ? failed : failed + advice(result));
        if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
            throw new DeviceMemoryException(failed, failure);
        }
        throw sticky ? new DeviceBrokenException(failed, failure) : failure;
    }

    private static String name(int result) {
        return switch (result) {
            case CONTAINED -> "CUDA_ERROR_CONTAINED";
            case TENSOR_MEMORY_LEAK -> "CUDA_ERROR_TENSOR_MEMORY_LEAK";
            default -> CUresult.stringFor(result);
        };
    }

    /**
     * Returns whether all later calls in the process fail too. These are the codes for which the driver's manual says
     * that the context cannot be used any more or that the process must be ended. An unknown error counts as well:
     * ending a process without need costs a restart, but a broken process that continues costs all of them.
     */
    static boolean isSticky(int result) {
        return switch (result) {
            case CONTAINED,
                    TENSOR_MEMORY_LEAK,
                    CUresult.CUDA_ERROR_MPS_CLIENT_TERMINATED,
                    CUresult.CUDA_ERROR_EXTERNAL_DEVICE,
                    CUresult.CUDA_ERROR_UNKNOWN,
                    CUresult.CUDA_ERROR_DEINITIALIZED,
                    CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,
                    CUresult.CUDA_ERROR_NVLINK_UNCORRECTABLE,
                    CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,
                    CUresult.CUDA_ERROR_LAUNCH_TIMEOUT,
                    CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED,
                    CUresult.CUDA_ERROR_ASSERT,
                    CUresult.CUDA_ERROR_HARDWARE_STACK_ERROR,
                    CUresult.CUDA_ERROR_ILLEGAL_INSTRUCTION,
                    CUresult.CUDA_ERROR_MISALIGNED_ADDRESS,
                    CUresult.CUDA_ERROR_INVALID_ADDRESS_SPACE,
                    CUresult.CUDA_ERROR_INVALID_PC,
                    CUresult.CUDA_ERROR_LAUNCH_FAILED -> true;
            default -> false;
        };
    }

    private static String advice(int result) {
        return switch (result) {
            case CUresult.CUDA_ERROR_NO_DEVICE ->
                ": the driver is there, but it finds no GPU that it may use. Check nvidia-smi,"
                        + " CUDA_VISIBLE_DEVICES, and in a container that the GPU was passed in";
            case CUresult.CUDA_ERROR_UNKNOWN ->
                ": the driver does not start. Check nvidia-smi and that /dev/nvidia-uvm is there"
                        + " (nvidia-modprobe -u -c=0 makes it; in a container it comes with the GPU)";
            case CUresult.CUDA_ERROR_INVALID_DEVICE -> ": there is no device of that number";
            case CUresult.CUDA_ERROR_OUT_OF_MEMORY -> "";
            case CUresult.CUDA_ERROR_DEVICE_UNAVAILABLE ->
                ": another process has the device for itself (nvidia-smi -q -d" + " COMPUTE shows the mode)";
            case CUresult.CUDA_ERROR_STUB_LIBRARY ->
                ": the libcuda.so.1 that was found is the toolkit's for linking, not the"
                        + " driver's. Take .../stubs out of LD_LIBRARY_PATH";
            case CUresult.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ->
                ": the driver in the kernel and libcuda.so.1 are of different"
                        + " versions. Restart the machine after an update of the driver";
            case CUresult.CUDA_ERROR_SYSTEM_NOT_READY ->
                ": the system's services are not up yet (on machines with NVSwitch" + " the fabric manager)";
            case CUresult.CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE ->
                ": the forward-compatibility package does not support" + " this GPU. Install a newer driver";
            default -> "";
        };
    }
}
