package io.millrace.sink;

import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.train.TrainStep;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A training step that records the samples of each batch instead of training, and may fail at a step. */
public final class FakeStep implements TrainStep {
    /** The samples of one step. */
    public record Seen(long step, List<Long> indexes, List<Long> labels) {}

    public static final List<Seen> SEEN = new CopyOnWriteArrayList<>();

    private final long failAt;
    private final Runnable onClose;

    /** Fails at a training step, counted from 0; -1 for never. */
    public FakeStep(long failAt) {
        this(failAt, () -> {});
    }

    /** Fails at a training step as above, and runs an action when it is closed. */
    public FakeStep(long failAt, Runnable onClose) {
        this.failAt = failAt;
        this.onClose = onClose;
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        if (batch.step() == failAt) {
            throw new LabelOutOfRangeException(batch.split(), batch.index(0), 11, 10);
        }
        byte[] images = images(batch);
        List<Long> indexes = new CopyOnWriteArrayList<>();
        List<Long> labels = new CopyOnWriteArrayList<>();
        for (int row = 0; row < batch.rows(); row++) {
            indexes.add(batch.index(row));
            labels.add(batch.labels().get(row));
            long stored = Byte.toUnsignedLong(
                    images[row * batch.spec().columns().get(0).rowBytes()]);
            if (stored != (batch.index(row) & 255)) {
                throw new IllegalStateException("row " + row + " holds the bytes of another sample: " + stored);
            }
        }
        SEEN.add(new Seen(batch.step(), indexes, labels));
        return new StepResult(1.0 / (1 + batch.step()), 10, 20);
    }

    /** Returns the bytes of the first column, from memory of any device. */
    private static byte[] images(DeviceBatch batch) {
        byte[] images = new byte[batch.rows() * batch.spec().columns().get(0).rowBytes()];
        try (AlignedMemory memory = AlignedMemory.allocate(images.length, "images")) {
            batch.memory(0).read(0, memory.address(), images.length);
            memory.buffer().get(images);
        }
        return images;
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        return new EvaluationResult(batch.rows() * 0.5, batch.rows() - 1L, batch.rows());
    }

    @Override
    public String parametersSha256() {
        return HexFormat.of().toHexDigits(SEEN.hashCode());
    }

    @Override
    public long parameterCount() {
        return 1;
    }

    @Override
    public void save(Path directory) throws IOException {
        Files.writeString(directory.resolve("seen.txt"), SEEN.toString());
    }

    /** Copies the number of batches seen so far. */
    @Override
    public ModelState snapshot() {
        ByteBuffer count = ByteBuffer.allocate(Integer.BYTES).putInt(0, SEEN.size());
        return new ModelState(List.of(StateChunk.of("seen", 0, Integer.BYTES, count)));
    }

    /** Removes the batches that were seen after the copy. */
    @Override
    public void restore(List<StateChunk> state) {
        ByteBuffer count = ByteBuffer.allocate(Integer.BYTES);
        state.get(0).copy(0, count);
        SEEN.subList(count.getInt(0), SEEN.size()).clear();
    }

    @Override
    public void close() {
        onClose.run();
    }
}
