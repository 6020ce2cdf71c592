package io.millrace.device;

/**
 * Hears of each part of memory that the engine allocates for a device. In a rehearsal the driver, which has no device, has to
 * be told of them; a real one knows its memory. Called by whatever thread allocates.
 */
public interface EngineAllocations {
    /** Nobody needs to hear. */
    EngineAllocations UNHEARD = new EngineAllocations() {
        @Override
        public void allocated(int device, long address, long bytes) {}

        @Override
        public void freeing(long address) {}
    };

    /**
     * The engine allocated memory of a device.
     *
     * @param device the device's number
     * @throws ai.djl.engine.EngineException when there is not so much
     */
    void allocated(int device, long address, long bytes);

    /** It is freed next. */
    void freeing(long address);
}
