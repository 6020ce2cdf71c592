package io.millrace.device;

import jcuda.driver.CUresult;

/** What the driver's error codes mean for a user, and for us. Stateless. */
final class CudaErrors {
    private CudaErrors() {}

    /**
     * Throws unless a call succeeded.
     *
     * @param result what the driver answered
     * @param call the function, as the driver's manual names it
     * @param why what it was called for, as "for a batch of 64 rows on cuda:0"
     * @throws DeviceMemoryException when memory is short
     * @throws DeviceBrokenException when the process can use the device no more
     * @throws DeviceException else
     */
    static void check(int result, String call, String why) {
        if (result == CUresult.CUDA_SUCCESS) {
            return;
        }
        String told =
                call + " " + why + " failed with " + CUresult.stringFor(result) + " (" + result + ")" + advice(result);
        DeviceException failure = new DeviceException(told);
        if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
            throw new DeviceMemoryException(told, failure);
        }
        throw isSticky(result) ? new DeviceBrokenException(told, failure) : failure;
    }

    /** Whether all later calls in the process fail too. */
    static boolean isSticky(int result) {
        return switch (result) {
            case CUresult.CUDA_ERROR_DEINITIALIZED,
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
        if (isSticky(result)) {
            return ": the device's state is lost, and every later call in this process fails too. The process has to end;"
                    + " the run goes on from its last checkpoint in a new one";
        }
        return switch (result) {
            case CUresult.CUDA_ERROR_NO_DEVICE ->
                ": the driver is there, but no GPU that it may use. Check nvidia-smi,"
                        + " CUDA_VISIBLE_DEVICES, and in a container that the GPU was passed in";
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
