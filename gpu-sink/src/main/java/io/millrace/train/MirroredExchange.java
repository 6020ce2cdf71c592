package io.millrace.train;

import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.exchange.GradientExchange;
import io.millrace.lifecycle.Handles;
import io.millrace.train.network.FlatState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An exchange between replicas whose models are on devices. The averaged values pass through page-locked memory of the host:
 * they are copied out after the device's pending work, and copied back before its next work. Belongs to the trainer's
 * thread, which closes it.
 */
final class MirroredExchange implements GradientExchange, AutoCloseable {
    private final GradientExchange replicas;
    private final Device device;
    private final List<DeviceMemory> shared;
    private final List<AlignedMemory> mirrors = new ArrayList<>();
    private final Handles handles = new Handles();

    /** Connects the state's shared memory with the other replicas, which are not owned. */
    MirroredExchange(GradientExchange replicas, FlatState state, Device device) {
        this.replicas = replicas;
        this.device = device;
        this.shared = state.sharedMemory();
        for (DeviceMemory block : shared) {
            mirrors.add(handles.closeOnFailure(
                    () -> handles.add(device.pageLocked(block.bytes(), "a copy of the values that replicas share"))));
        }
        handles.add(device.engine()::synchronize); // closed first
    }

    @Override
    public long rows() {
        return replicas.rows();
    }

    /** Averages the values on the device. {@code blocks} is empty, because the host has no blocks. */
    @Override
    public void average(List<ByteBuffer> blocks) throws IOException {
        copyToHost();
        replicas.average(hostBlocks());
        copyBack();
    }

    /** Averages the values on the device. {@code blocks} is empty, because the host has no blocks. */
    @Override
    public long average(List<ByteBuffer> blocks, long rows, double weight) throws IOException {
        copyToHost();
        long all = replicas.average(hostBlocks(), rows, weight);
        copyBack();
        return all;
    }

    private void copyToHost() {
        for (int i = 0; i < shared.size(); i++) {
            device.engine()
                    .copyOut(
                            shared.get(i),
                            0,
                            mirrors.get(i).address(),
                            mirrors.get(i).bytes());
        }
        device.engine().synchronize();
    }

    private List<ByteBuffer> hostBlocks() {
        return mirrors.stream().map(AlignedMemory::buffer).toList();
    }

    private void copyBack() {
        for (int i = 0; i < shared.size(); i++) {
            device.engine()
                    .copyIn(
                            mirrors.get(i).address(),
                            shared.get(i),
                            0,
                            mirrors.get(i).bytes());
        }
    }

    @Override
    public void close() {
        handles.close();
    }
}
