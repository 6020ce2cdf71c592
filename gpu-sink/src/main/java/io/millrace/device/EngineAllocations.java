package io.millrace.device;

/**
 * The receiver of the parts of memory that the engine allocates for a device. In a rehearsal the driver has no device
 * and needs to know of them; a real driver knows its memory. The thread that allocates calls.
 */
interface EngineAllocations {
    /** Ignores all allocations. */
    EngineAllocations IGNORED = new EngineAllocations() {
        @Override
        public void allocated(int device, long address, long bytes) {}

        @Override
        public void freeing(long address) {}
    };

    /**
     * The engine has allocated memory of a device.
     *
     * @param device the number of the device
     * @throws ai.djl.engine.EngineException when there is not so much memory
     */
    void allocated(int device, long address, long bytes);

    /** The engine is about to free memory that it allocated. */
    void freeing(long address);
}
