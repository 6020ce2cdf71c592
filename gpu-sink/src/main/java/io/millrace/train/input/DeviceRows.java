package io.millrace.train.input;

/** What inputs and targets need where the processor does not reach the batches. Belongs to one thread, which closes it. */
public record DeviceRows(RowTensors tensors, LateChecks checks) implements AutoCloseable {
    @Override
    public void close() {
        tensors.close();
    }
}
