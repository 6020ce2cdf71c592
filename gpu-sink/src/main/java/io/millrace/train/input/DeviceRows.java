package io.millrace.train.input;

/**
 * The operations and checks of inputs and targets for batches in memory that the CPU cannot read. Belongs to one
 * thread, which closes it.
 */
public record DeviceRows(RowTensors tensors, LateChecks checks) implements AutoCloseable {
    @Override
    public void close() {
        tensors.close();
    }
}
