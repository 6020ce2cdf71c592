package io.millrace.sink.trainer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.device.CudaDevice;
import io.millrace.device.CudaDevice.MemoryUse;
import io.millrace.device.Device;
import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.SuspectedMemoryException;
import io.millrace.file.WholeFiles;
import io.millrace.sink.files.UnwritableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The decision on errors that suggest too little memory of a rank's device. After the first one the job restarts: the restart
 * gives the memory that the engine kept for later back to the driver. When the next one occurs before training has got further
 * than at the first, another restart would not help, and the job ends.
 *
 * <p>Training has got further when a later batch than the one of the last error was trained. Then the next error counts as a
 * first one, so that a long run survives other programs that need the memory from time to time, but no batch is tried three
 * times.
 *
 * <p>The last error is in a file of the rank's folder, because neither the task nor its process nor its class loader need
 * survive a restart, and a checkpoint that was made before the error does not contain it. The file names the job: an error of an
 * earlier job does not count, because the user may have changed the settings since. Only the task's thread calls the methods.
 */
final class MemorySuspicions {
    static final String NAME = "suspected_memory.json";

    private static final Logger LOG = LoggerFactory.getLogger(MemorySuspicions.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double BYTES_PER_GIB = 1 << 30;

    private final Path file;
    private final String job;
    private @Nullable SuspectedMemoryException judged;
    private @Nullable DeviceException judgement;

    /**
     * Creates the decision for an attempt.
     *
     * @param folder the rank's folder
     * @param job the job's identifier, which is the same in all attempts
     */
    MemorySuspicions(Path folder, String job) {
        this.file = folder.resolve(NAME);
        this.job = job;
    }

    /**
     * Decides on an error, and records it. The same error is decided on once.
     *
     * @param batch the number of the oldest batch that is not trained yet, from 0
     * @param device the device, whose free memory the message contains; null when it is not open
     * @return the error itself if the job shall restart; otherwise an exception that ends the job, or, if the device turns out
     *     to be broken, the process
     */
    DeviceException judge(SuspectedMemoryException error, long batch, @Nullable Device device) {
        DeviceException known = judgement;
        if (known == null || !error.equals(judged)) {
            known = decide(error, batch, device);
            judged = error;
            judgement = known;
        }
        return known;
    }

    private DeviceException decide(SuspectedMemoryException error, long batch, @Nullable Device device) {
        String memory;
        try {
            memory = describeMemory(device);
        } catch (DeviceBrokenException broken) {
            broken.addSuppressed(error);
            return broken;
        }
        long last = lastBatch();
        if (last >= batch) {
            return error.repeated(
                    "The job was restarted after this error at batch " + last + ", and it occurred again at batch "
                            + batch,
                    memory);
        }
        LOG.warn(
                "{}{}. The job restarts from its last checkpoint; if the error occurs again before batch {} is trained, the job"
                        + " ends",
                error.getMessage(),
                memory,
                batch);
        write(error, batch);
        return error;
    }

    /** Returns the batch of the last error in this job; -1 when there is none. */
    private long lastBatch() {
        try {
            JsonNode last = JSON.readTree(Files.readString(file));
            return last.required("job").asText().equals(job)
                    ? last.required("batch").asLong()
                    : -1;
        } catch (NoSuchFileException e) {
            return -1;
        } catch (IOException | IllegalArgumentException e) {
            String found = e instanceof JsonProcessingException syntax ? syntax.getOriginalMessage() : e.toString();
            LOG.warn("{} cannot be read, so the error counts as the first one of this job: {}", file, found);
            return -1;
        }
    }

    private void write(SuspectedMemoryException error, long batch) {
        String content = JSON.createObjectNode()
                .put("job", job)
                .put("batch", batch)
                .put("error", error.getMessage())
                .toPrettyString();
        try {
            WholeFiles.write(file, (content + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            UnwritableException unwritable = new UnwritableException(file, e);
            error.addSuppressed(unwritable);
            LOG.warn("the next error will count as the first one again: {}", unwritable.getMessage());
        }
    }

    /** Returns a clause on the device's free memory; an empty text when it is unknown. */
    private static String describeMemory(@Nullable Device device) {
        if (!(device instanceof CudaDevice cuda)) {
            return "";
        }
        try {
            MemoryUse use = cuda.memoryUse();
            return String.format(
                    Locale.ROOT,
                    "; %.2f GiB of the %.2f GiB of %s are free now",
                    (use.totalBytes() - use.usedBytes()) / BYTES_PER_GIB,
                    use.totalBytes() / BYTES_PER_GIB,
                    cuda.describe());
        } catch (DeviceBrokenException e) {
            throw e;
        } catch (DeviceException e) {
            LOG.info("the free memory of {} is unknown: {}", cuda.describe(), e.getMessage());
            return "";
        }
    }
}
