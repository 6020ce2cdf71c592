package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.file.WholeFiles;
import io.millrace.train.TrainStep.StepResult;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Writes {@code steps.csv}: a line per training step. Under that name it is always whole, as it gets there when closed. The trainer's thread alone calls.
 */
final class StepLog implements AutoCloseable {
    private static final String HEADER = "step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms\n";

    private final Path file;
    private final BufferedWriter writer;

    StepLog(Path folder) throws IOException {
        file = folder.resolve("steps.csv");
        try {
            writer = Files.newBufferedWriter(WholeFiles.partial(file), StandardCharsets.UTF_8);
            writer.write(HEADER);
        } catch (IOException e) {
            throw new UnwritableException(file, e);
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
            throw new UnwritableException(file, e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            writer.close();
            WholeFiles.publish(file);
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }
}
