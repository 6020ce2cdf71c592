package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.device.EngineTimeline.Lap;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The asynchronous device for rehearsals: copies and the engine's work are late, on separate threads. */
class AsynchronousDeviceTest extends DeviceContract {
    private static final SimulatedLink LINK = new SimulatedLink(100_000_000, Duration.ofNanos(50_000));
    private static final Duration LONG = Duration.ofMillis(400);
    private static final BatchSpec NO_COLUMNS = new BatchSpec(List.of());

    @Override
    Device open() {
        return new AsynchronousDevice(LINK, Duration.ZERO);
    }

    @Override
    void assertNothingLeft() {
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("millrace-simulated-stream");
    }

    @Test
    void hostEnqueuesAndTheResultArrivesLater() {
        try (AsynchronousDevice device = new AsynchronousDevice(LINK, Duration.ZERO)) {
            long began = System.nanoTime();
            CompletableFuture<Integer> result = device.compute(() -> 7, made -> LONG);
            long enqueued = System.nanoTime();

            assertThat(enqueued - began).isLessThan(LONG.toNanos() / 2);
            assertThat(result).isNotDone();
            assertThat(result.join()).isEqualTo(7);
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(LONG.toNanos());
        }
    }

    /** The times of the device do not depend on when its threads wake up. */
    @Test
    void enqueuedWorkFollowsWithoutAGap() {
        try (AsynchronousDevice device = new AsynchronousDevice(LINK, Duration.ZERO)) {
            CompletableFuture<Integer> first =
                    device.compute(() -> 0, made -> LONG); // everything is enqueued meanwhile
            List<DeviceEvent> events = new ArrayList<>();
            int steps = 20;
            Duration step = Duration.ofMillis(3);
            for (int i = 0; i <= steps; i++) {
                DeviceEvent event = device.timedEvent();
                device.engine().record(event);
                events.add(event);
                CompletableFuture<Integer> unused = device.compute(() -> 0, made -> step);
            }
            device.engine().synchronize();

            assertThat(first).isDone();
            assertThat(events.get(steps).passedNanos() - events.get(0).passedNanos())
                    .isEqualTo(steps * step.toNanos());
        }
    }

    @Test
    void timeThatHasPassedIsNotWaitedForAgain() {
        long began = System.nanoTime();
        SimulatedTime.pass(began - LONG.toNanos(), LONG.toNanos());
        assertThat(System.nanoTime() - began).isLessThan(LONG.toNanos());
    }

    @Test
    void copiesProceedBesideTheEngine() {
        SimulatedLink slow = new SimulatedLink(SimulatedLink.UNLIMITED, LONG);
        try (AsynchronousDevice device = new AsynchronousDevice(slow, Duration.ZERO);
                AlignedMemory source = device.pageLocked(8, "a source");
                DeviceMemory memory = device.memory(8, "memory")) {
            long began = System.nanoTime();
            CompletableFuture<Integer> result = device.compute(() -> 0, made -> LONG);
            device.copies().copyIn(source.address(), memory, 0, 8);
            device.copies().synchronize();
            assertThat(result.join()).isZero();

            assertThat(System.nanoTime() - began).isLessThan(2 * LONG.toNanos());
        }
    }

    @Test
    void failureOfWorkIsItsResultAndTheStreamContinues() {
        try (AsynchronousDevice device = new AsynchronousDevice(LINK, Duration.ZERO)) {
            CompletableFuture<Integer> failed = device.compute(
                    () -> {
                        throw new IllegalStateException("no such kernel");
                    },
                    made -> LONG);
            CompletableFuture<Integer> next = device.compute(() -> 1, made -> Duration.ZERO);

            assertThatThrownBy(failed::join)
                    .isInstanceOf(CompletionException.class)
                    .hasMessageContaining("no such kernel");
            assertThat(next.join()).isEqualTo(1);
        }
    }

    /** On a GPU the rows would be read from the device; here the engine reads them where the host fills them. */
    @Test
    void batchIsFilledAgainOnlyAfterTheEngineHasReadIt() {
        try (AsynchronousDevice device = new AsynchronousDevice(LINK, Duration.ZERO);
                DeviceBatch batch = device.allocate(NO_COLUMNS, 1)) {
            fill(batch, 3);
            batch.beginUse();
            CompletableFuture<Long> seen = device.compute(
                    () -> {
                        TimeUnit.MILLISECONDS.sleep(50);
                        return batch.label(0);
                    },
                    label -> Duration.ZERO);
            batch.endUse();
            fill(batch, 4);

            assertThat(seen.join()).isEqualTo(3);
        }
    }

    /** All batches are enqueued at once. The link carries a batch while the engine works on the batch before. */
    @ParameterizedTest
    @CsvSource({"0.00, 20, 10", "0.01, 99, 100", "0.05, 19, 20", "0.50, 10, 20", "0.95, 2, 40"})
    void eventsShowForWhichShareOfItsTimeTheDeviceIdles(double idle, int stepMillis, int copyMillis) {
        int steps = 12;
        int bytes = 10_000;
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("x", DType.UINT8, List.of(bytes))));
        SimulatedLink link = new SimulatedLink((long) (bytes + Long.BYTES) * 1000 / copyMillis, Duration.ZERO);
        try (Handles handles = new Handles()) {
            AsynchronousDevice device = handles.add(new AsynchronousDevice(link, Duration.ZERO));
            AlignedMemory row = handles.add(device.pageLocked(bytes, "a row"));
            EngineTime time = handles.add(EngineTime.of(device).orElseThrow());
            List<EngineWork> works = new ArrayList<>();
            long filler =
                    link.bytesPerSecond() * LONG.toMillis() / 1000; // all is enqueued while these bytes are copied
            AlignedMemory source = handles.add(device.pageLocked(filler, "bytes"));
            DeviceMemory target = handles.add(device.memory(filler, "bytes"));
            DeviceEvent began = device.event();
            device.copies().copyIn(source.address(), target, 0, filler);
            device.copies().record(began);
            for (int i = 0; i <= steps; i++) {
                DeviceBatch batch = handles.add(device.allocate(spec, 1));
                batch.begin(i, i, 0, Split.TRAIN, 1);
                batch.filling().put(0, 0, row.address());
                batch.filling().place(0, i, i, 0);
                batch.seal();
                batch.beginUse();
                CompletableFuture<Integer> unused = device.compute(() -> 0, made -> Duration.ofMillis(stepMillis));
                works.add(batch.endUse());
            }
            assertThat(began.isDone()).as("the device had to wait for the host").isFalse();
            long idled = 0;
            long whole = 0;
            for (EngineWork work : works) {
                Lap lap = time.batch(work);
                idled += lap.idleNanos();
                whole += works.get(0) == work ? 0 : lap.nanos();
            }
            assertThat((double) idled / whole).isCloseTo(idle, within(0.01));
        }
    }

    private static void fill(DeviceBatch batch, long label) {
        batch.begin(0, 0, 0, Split.TRAIN, 1);
        batch.filling().place(0, 0, 0, label);
        batch.seal();
    }
}
