package io.millrace.device;

/**
 * An exception for an error of CUDA's libraries that they often report when the device has too little free memory, but which
 * can have another cause. A new attempt with free memory can succeed. An error that repeats at once is {@link #repeated}.
 */
public final class SuspectedMemoryException extends DeviceException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception whose message has the failure and its probable cause.
     *
     * @param what the beginning of the message: the work that failed, and its error
     */
    public SuspectedMemoryException(String what, Throwable cause) {
        super(
                what
                        + ": CUDA's libraries often report too little free memory of the device in this way, for example when"
                        + " they load a kernel or allocate their workspace",
                cause);
    }

    /**
     * Returns the exception for this error when it has occurred again after a new attempt, which ends the run.
     *
     * @param attempts a clause on the attempts, as "it occurred at batch 12, and after a restart again at batch 12"
     * @param memory a clause on the device's memory, or an empty text
     */
    public DeviceMemoryException repeated(String attempts, String memory) {
        return new DeviceMemoryException(
                getMessage() + ". " + attempts + memory
                        + ". Set a smaller batch.size, or end other programs on this GPU (nvidia-smi lists them). If most of"
                        + " the memory is free, compare the versions of driver, CUDA and PyTorch (./millrace devices prints"
                        + " them)",
                this);
    }
}
