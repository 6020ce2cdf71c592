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

/** Shows what the device's transforms make of one row. Belongs to one thread; its opener closes it. */
public final class DeviceTransformPreview implements AutoCloseable {
    private final PtNDManager manager;
    private final AlignedMemory row;
    private final HostInput input;

    /**
     * Prepares for rows of images like these.
     *
     * @param spec what a row holds; shown is the column named "image"
     * @throws IllegalArgumentException when a transform is unknown or does not go with the column
     */
    public DeviceTransformPreview(BatchSpec spec, List<Component> transforms) {
        this(spec.column(Sample.IMAGE), Roles.DEFAULT, transforms);
    }

    /**
     * Prepares for rows of one input as the samples have them. What mixes rows, or writes class numbers in another way, is not shown.
     *
     * @param column not ragged, and one of the roles' inputs
     * @throws IllegalArgumentException when a transform is unknown or does not go with the column
     */
    public DeviceTransformPreview(BatchSpec.Column column, Roles roles, List<Component> transforms) {
        manager = TrainingRuntime.open(0);
        try {
            DevicePlan plan = DevicePlan.of(roles, transforms);
            BatchSpec.Column sent =
                    new BatchSpec.Column(column.name(), column.from(), column.shape(), column.kind(), Form.DENSE);
            input = new HostInput(
                    new BatchSpec(List.of(sent)), sent, 1, plan.rowTransforms(sent, manager), MemoryFormat.CONTIGUOUS);
        } catch (RuntimeException | Error e) {
            manager.close();
            throw e;
        }
        row = AlignedMemory.allocate((long) column.elements() * column.from().bytes(), "a row");
    }

    /**
     * Whether the model gets this column as floats, one value for each of the column's.
     *
     * @throws IllegalArgumentException when a transform is unknown or changes what is no input
     */
    public static boolean shows(BatchSpec.Column column, Roles roles, List<Component> transforms) {
        DevicePlan plan = DevicePlan.of(roles, transforms);
        return roles.inputs().contains(column.name())
                && !plan.encodings().containsKey(column.name())
                && (!PlainInput.takes(column) || plan.changesRows(column.name()));
    }

    /**
     * What the model would see of this row.
     *
     * @param bytes the field's bytes; images [height, width, channels]
     * @return images [channels, height, width], others as they are
     * @throws IllegalArgumentException when there are more or fewer bytes than a row has
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
