package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.train.TrainStep.StepResult;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Writes {@code steps.csv}: a line per training step. Lines go to {@code steps.csv.partial}, which takes its final name
 * when closed, so that a file under the final name is always whole. The trainer's thread alone calls.
 */
final class StepLog implements AutoCloseable {
    private static final String HEADER = "step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms\n";

    private final Path partial;
    private final Path file;
    private final BufferedWriter writer;

    StepLog(Path folder) throws IOException {
        file = folder.resolve("steps.csv");
        partial = folder.resolve("steps.csv.partial");
        try {
            writer = Files.newBufferedWriter(partial, StandardCharsets.UTF_8);
            writer.write(HEADER);
        } catch (IOException e) {
            throw new UnwritableException(partial, e);
        }
    }

    void write(DeviceBatch batch, StepResult result, long waitNanos) throws IOException {
        String line = String.format(
                Locale.ROOT,
                "%d,%d,%d,%s,%.3f,%.3f,%.3f%n",
                batch.step(),
                batch.epoch(),
                batch.rows(),
                Double.isNaN(result.loss()) ? "" : Float.toString((float) result.loss()),
                waitNanos / 1e6,
                result.transferNanos() / 1e6,
                result.computeNanos() / 1e6);
        try {
            writer.write(line);
        } catch (IOException e) {
            throw new UnwritableException(partial, e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            writer.close();
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }
}
