package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.train.TrainStep;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** A training step whose model is a digest of all batches in their order, with every byte of them. */
public final class ChainStep implements TrainStep {
    private final ByteBuffer parameters = ByteBuffer.allocate(32);

    private void chain(DeviceBatch batch) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(parameters.duplicate());
            digest.update((batch.split() + " " + batch.number() + " " + batch.step() + " " + batch.quarantinedIndexes())
                    .getBytes(StandardCharsets.UTF_8));
            for (int row = 0; row < batch.rows(); row++) {
                digest.update((batch.index(row) + " " + batch.label(row) + " " + batch.position(row))
                        .getBytes(StandardCharsets.UTF_8));
            }
            for (int column = 0; column < batch.spec().columns().size(); column++) {
                digest.update(batch.column(column));
            }
            parameters.put(0, digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        chain(batch);
        return new StepResult(1.0 / (1 + batch.step()), 10, 20);
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        return new EvaluationResult(batch.rows() * (0.5 + parameters.get(0)), batch.rows() - 1L, batch.rows());
    }

    @Override
    public String parametersSha256() {
        return HexFormat.of().formatHex(parameters.array());
    }

    @Override
    public long parameterCount() {
        return 32;
    }

    @Override
    public void save(Path directory) throws IOException {
        Files.writeString(directory.resolve("digest.txt"), parametersSha256());
    }

    @Override
    public ModelState snapshot() {
        return new ModelState(List.of(
                StateChunk.of("digest", 0, 32, parameters.duplicate().limit(20)),
                StateChunk.of("digest", 20, 32, parameters.duplicate().position(20))));
    }

    @Override
    public void restore(List<StateChunk> state) {
        for (StateChunk chunk : state) {
            chunk.copy(
                    0,
                    parameters.duplicate().position((int) chunk.offset()).limit((int) chunk.offset() + chunk.bytes()));
        }
    }

    @Override
    public void close() {}
}
