package io.millrace.train.input;

/**
 * The tensors and checks that inputs and targets use when the CPU does not reach the batches. Belongs to one thread, which
 * closes it.
 */
public record DeviceRows(RowTensors tensors, LateChecks checks) implements AutoCloseable {
    @Override
    public void close() {
        tensors.close();
    }
}
