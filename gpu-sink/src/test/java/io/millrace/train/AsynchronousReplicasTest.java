package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.AsynchronousDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.exchange.Listener;
import io.millrace.exchange.RankAddress;
import io.millrace.exchange.RankAddresses;
import io.millrace.exchange.Replicas;
import io.millrace.lifecycle.Handles;
import io.millrace.train.TrainStep.StepResult;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two replicas, each with a thread that agrees on batches and an engine that averages gradients. */
class AsynchronousReplicasTest {
    private static final int STEPS = 12;
    private static final int ROWS = 6;

    @Test
    void replicasOnAsynchronousDevicesTrainAsOnTheHost() throws Exception {
        List<String> host = train(opened -> new Opened(opened.add(new HostDevice()), Continuation::open));
        assertThat(host.get(1)).isEqualTo(host.get(0));

        assertThat(train(opened -> asynchronous(opened.add(new AsynchronousDevice(SimulatedLink.NONE, Duration.ZERO)))))
                .isEqualTo(host);
    }

    private static Opened asynchronous(AsynchronousDevice device) {
        return new Opened(device, training -> training.open(device));
    }

    private record Opened(Device device, StepOpener opener) {}

    @FunctionalInterface
    private interface StepOpener {
        TrainStep open(Continuation training);
    }

    @FunctionalInterface
    private interface DeviceOpener {
        Opened open(Handles opened);
    }

    /** Returns the digests of the parameters of both replicas. */
    private static List<String> train(DeviceOpener devices) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Listener first = Listener.open(InetAddress.getLoopbackAddress());
                Listener second = Listener.open(InetAddress.getLoopbackAddress())) {
            RankAddresses all = RankAddresses.of(List.of(
                    RankAddress.ofThisProcess(0, "127.0.0.1", first.port(), "test"),
                    RankAddress.ofThisProcess(1, "127.0.0.1", second.port(), "test")));
            List<Future<String>> begun = List.of(
                    threads.submit(() -> train(devices, all, 0, first)),
                    threads.submit(() -> train(devices, all, 1, second)));
            List<String> digests = new ArrayList<>();
            for (Future<String> one : begun) {
                digests.add(one.get(5, TimeUnit.MINUTES));
            }
            return digests;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Trains on batches whose sizes differ by rank and step, and uses two batches in turn. */
    private static String train(DeviceOpener devices, RankAddresses all, int rank, Listener listener) throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.SGD);
        try (Handles handles = new Handles();
                Replicas replicas = Replicas.join(all, rank, listener)) {
            Opened opened = devices.open(handles);
            List<DeviceBatch> batches = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                batches.add(handles.add(
                        opened.device().allocate(training.spec().data().input(), ROWS)));
            }
            TrainStep step = handles.add(opened.opener().open(training));
            step.replicate(replicas);
            List<Pending<StepResult>> pending = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                int rows = 1 + (i + 3 * rank) % ROWS;
                assertThat(replicas.ready(i, rows)).isInstanceOf(Replicas.Work.class);
                DeviceBatch batch = batches.get(i % 2);
                training.vectors().fill(batch, i, rank * ROWS, rank * ROWS + rows);
                batch.beginUse();
                pending.add(step.enqueue(batch));
                batch.endUse();
            }
            pending.forEach(Pending::result);
            String digest = step.parametersSha256();
            replicas.gather(0); // no rank leaves before the other has averaged for the last time
            return digest;
        }
    }
}
