package io.millrace.train;

import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.option.Choice;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.state.SafeTensors;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A file that training_vectors.py wrote, with methods to repeat its training. */
public record Vectors(Map<String, SafeTensors.Tensor> tensors) {
    public static Vectors read(String name) throws IOException {
        return new Vectors(SafeTensors.read(file(name)));
    }

    public static Path file(String name) {
        try {
            return Path.of(Objects.requireNonNull(Vectors.class.getResource(name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(name, e);
        }
    }

    public SafeTensors.Tensor tensor(String name) {
        return Objects.requireNonNull(tensors.get(name), name);
    }

    public float[] floats(String name) {
        return array(tensor(name).values().asFloatBuffer());
    }

    public static float[] array(FloatBuffer buffer) {
        float[] values = new float[buffer.remaining()];
        buffer.get(values);
        return values;
    }

    public double[] doubles(String name) {
        double[] values = new double[tensor(name).values().remaining() / Double.BYTES];
        tensor(name).values().asDoubleBuffer().get(values);
        return values;
    }

    public long[] longs(String name) {
        long[] values = new long[tensor(name).values().remaining() / Long.BYTES];
        tensor(name).values().asLongBuffer().get(values);
        return values;
    }

    /** Returns the column "image" with the shape of the file's images. */
    public BatchSpec spec() {
        List<Integer> shape =
                tensor("images").shape().stream().skip(1).map(Math::toIntExact).toList();
        return new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, shape)));
    }

    public int rows() {
        return Math.toIntExact(tensor("images").shape().get(0));
    }

    /** Fills the batch with rows {@code from} to {@code to - 1}. */
    public void fill(DeviceBatch batch, long step, int from, int to) {
        byte[] images = new byte[tensor("images").values().remaining()];
        tensor("images").values().get(0, images);
        long[] labels = longs("labels");
        int rowBytes = spec().rowBytes();
        batch.begin(step, step, 0, Split.TRAIN, to - from);
        try (AlignedMemory rows = AlignedMemory.allocate((long) (to - from) * rowBytes, "rows")) {
            for (int i = from; i < to; i++) {
                int at = (i - from) * rowBytes;
                rows.buffer().put(at, images, i * rowBytes, rowBytes);
                batch.filling().put(0, i - from, rows.address() + at);
                batch.filling().place(i - from, i, i, labels[i]);
            }
            batch.filling().arrivedRows(); // waits for the copies
        }
        batch.seal();
    }

    /** Returns a component whose options are checked against their declaration. */
    public static Component part(List<Choice> choices, String name, Map<String, ?> options) {
        Choice choice = choices.stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name));
        return new Component(name, OptionValues.of(choice.options(), options));
    }
}
