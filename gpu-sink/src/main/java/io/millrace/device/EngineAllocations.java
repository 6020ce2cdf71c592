package io.millrace.device;

/**
 * The receiver of the parts of memory that the engine allocates for a device. In a rehearsal, the receiver reports the
 * parts to a driver that has no device. A real driver keeps its own records. The allocating thread calls the methods.
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
     * Records memory of a device, after the engine has allocated it.
     *
     * @param device the number of the device
     * @throws ai.djl.engine.EngineException when there is not so much memory
     */
    void allocated(int device, long address, long bytes);

    /** Removes memory from the record, before the engine frees it. */
    void freeing(long address);
}
