package io.millrace.run;

import io.millrace.report.DeviceUseSummary;
import io.millrace.rest.ClusterRest;
import io.millrace.sink.trainer.TrainingDevice;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A printer of the device on which trainers in other processes train, and of the reason if that is not a GPU. It prints one
 * line, as soon as Flink knows the device, which is up to one heartbeat (10 s) after the trainers have opened it. One thread
 * prints; any thread may ask what was printed.
 */
final class DevicePrinter {
    private static final Logger LOG = LoggerFactory.getLogger(DevicePrinter.class);

    private final ClusterRest cluster;
    private final String job;
    private final Consumer<String> out;

    /** The device that was printed, or null. Volatile, because another thread reads it at the end of the run. */
    private volatile @Nullable String printed;

    DevicePrinter(ClusterRest cluster, String job, Consumer<String> out) {
        this.cluster = cluster;
        this.job = job;
        this.out = out;
    }

    /** Prints the device if it is known now and was not printed before. */
    void check() {
        if (printed != null) {
            return;
        }
        try {
            Optional<String> device = cluster.accumulator(job, TrainingDevice.ACCUMULATOR);
            if (device.isPresent()) {
                String described = DeviceUseSummary.inShort(device.get());
                out.accept("device  " + described);
                printed = described;
            }
        } catch (IOException e) {
            LOG.info("the device of the trainers could not be read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the description of the device that was printed; empty before. */
    Optional<String> printed() {
        return Optional.ofNullable(printed);
    }
}
