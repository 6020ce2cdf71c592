package io.millrace.train.input;

import ai.djl.Device;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.sample.Sample;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Roles;
import java.nio.ByteBuffer;
import java.util.List;

/** A preview of the device's transforms on one row. Belongs to one thread, which closes it. */
public final class DeviceTransformPreview implements AutoCloseable {
    private final PtNDManager manager;
    private final AlignedMemory row;
    private final HostInput input;

    /**
     * Prepares for rows of images.
     *
     * @param spec the content of a row; the preview shows the column named "image"
     * @throws IllegalArgumentException when a transform is unknown or does not fit the column
     */
    public DeviceTransformPreview(BatchSpec spec, List<Component> transforms) {
        this(spec.column(Sample.IMAGE), Roles.DEFAULT, transforms);
    }

    /**
     * Prepares for rows of one input in the samples' element type. The preview does not show transforms that mix rows
     * or encode class numbers.
     *
     * @param column one of the roles' inputs, not ragged
     * @throws IllegalArgumentException when a transform is unknown or does not fit the column
     */
    public DeviceTransformPreview(BatchSpec.Column column, Roles roles, List<Component> transforms) {
        manager = TrainingRuntime.open(0);
        try {
            DevicePlan plan = DevicePlan.of(roles, transforms);
            BatchSpec.Column sent =
                    new BatchSpec.Column(column.name(), column.from(), column.shape(), column.kind(), Form.DENSE);
            input = new HostInput(
                    new BatchSpec(List.of(sent)), sent, 1, plan.floatSteps(sent), MemoryFormat.CONTIGUOUS);
        } catch (RuntimeException | Error e) {
            manager.close();
            throw e;
        }
        row = AlignedMemory.allocate((long) column.elements() * column.from().bytes(), "a row");
    }

    /**
     * Returns whether the model gets this column as floats, one for each value of the column.
     *
     * @throws IllegalArgumentException when a transform is unknown or changes a field that is not an input
     */
    public static boolean shows(BatchSpec.Column column, Roles roles, List<Component> transforms) {
        DevicePlan plan = DevicePlan.of(roles, transforms);
        return roles.inputs().contains(column.name())
                && !plan.encodings().containsKey(column.name())
                && (!PlainInput.takes(column) || plan.changesRows(column.name()));
    }

    /**
     * Returns the values that the model would get for this row.
     *
     * @param bytes the field's bytes; images are [height, width, channels]
     * @return images as [channels, height, width], other fields in their own shape
     * @throws IllegalArgumentException when the number of bytes differs from that of a row
     */
    public float[] apply(byte[] bytes) {
        ByteBuffer memory = row.buffer();
        if (bytes.length != memory.capacity()) {
            throw new IllegalArgumentException(
                    "expected a row of " + memory.capacity() + " bytes, found " + bytes.length);
        }
        memory.put(0, bytes);
        try (PtNDManager step = manager.newSubManager(Device.cpu())) {
            PtNDArray made = input.make(memory, 1, List.of(), step);
            return made.toFloatArray();
        }
    }

    @Override
    public void close() {
        manager.close();
        input.close();
        row.close();
    }
}
