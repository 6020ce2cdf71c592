package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.engine.EngineException;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceMemoryException;
import io.millrace.device.DeviceSpec;
import io.millrace.device.EngineErrors;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import io.millrace.order.BatchPlan;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.trainer.Accidents.Place;
import io.millrace.train.ForwardingTrainStep;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.spec.TrainSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of real trainings by Flink on a simulated GPU whose engine fails as it does when its memory is nearly full. Flink
 * would restart each of these jobs a hundred times.
 */
@ExtendWith(StubDriver.Needed.class)
class SuspectedMemoryITCase {
    private static final BatchPlan PLAN = new BatchPlan(1511, 32, false, 24, 110, 2);

    /** The training steps that fail next, one after the other. */
    private static final Queue<Long> FAILING = new ConcurrentLinkedQueue<>();

    private static final AtomicInteger ATTEMPTS = new AtomicInteger();

    @TempDir
    Path folder;

    private RehearsedEngine engine;
    private TrainingCluster cluster;

    @BeforeEach
    void start() throws Exception {
        FAILING.clear();
        ATTEMPTS.set(0);
        engine = new RehearsedEngine(100);
        Accidents.plan(Place.NOWHERE, 0, 0);
        cluster = TrainingCluster.start(1, 3);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.stop();
        engine.assertNothingLeft();
    }

    /** The real training step, which fails as planned. */
    private static TrainStep open(TrainSpec spec, int capacity, Device device) {
        ATTEMPTS.incrementAndGet();
        TrainStep step = Accidents.open(spec, capacity, device);
        return new ForwardingTrainStep(step) {
            @Override
            public StepResult train(DeviceBatch batch) {
                return enqueue(batch).result();
            }

            @Override
            public Pending<StepResult> enqueue(DeviceBatch batch) {
                Long next = FAILING.peek();
                if (next != null && next == batch.step()) {
                    FAILING.remove();
                    throw EngineErrors.translate(
                            new EngineException("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR"),
                            "a step on " + batch.rows() + " rows on " + device.describe());
                }
                return step.enqueue(batch);
            }
        };
    }

    private RecoveryRun run() throws Exception {
        return new RecoveryRun(PLAN, Files.createDirectories(folder.resolve("run")))
                .on(new DeviceSpec(DeviceSpec.Kind.CUDA, 0, 64 << 20, Need.REQUIRED, engine.opener()));
    }

    private JobID submit(Long... failingSteps) throws Exception {
        FAILING.addAll(List.of(failingSteps));
        return cluster.submit(run().training(SuspectedMemoryITCase::open)
                .graph(2, RecoveryRun.checkpointed(folder.resolve("checkpoints"), false)));
    }

    @Test
    void firstErrorRestartsTheJob() throws Exception {
        TrainReport report = cluster.report(submit(12L));

        assertThat(ATTEMPTS).hasValue(2);
        assertThat(report.task().restarts()).isEqualTo(1);
        run().requireWholeHistory();
        assertThat(folder.resolve("run").resolve(MemorySuspicions.NAME))
                .content()
                .contains("\"batch\" : 12", "CUDNN_STATUS_INTERNAL_ERROR");
    }

    @Test
    void sameErrorAfterTheRestartEndsTheJob() throws Exception {
        Throwable failure = cluster.failure(submit(12L, 12L, 12L));

        assertThat(ATTEMPTS).hasValue(2);
        assertThat(ExceptionUtils.findThrowable(failure, DeviceMemoryException.class))
                .get()
                .extracting(Throwable::getMessage)
                .asString()
                .matches(
                        "a step on 32 rows on cuda:0 \\(Stub GPU 0\\) failed: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR:"
                                + " CUDA's libraries often report too little free memory of the device in this way, for example when"
                                + " they load a kernel or allocate their workspace. The job was restarted after this error at batch"
                                + " 12, and it occurred again at batch 12; [0-9.]+ GiB of the [0-9.]+ GiB of cuda:0 \\(Stub GPU 0\\)"
                                + " are free now. Set a smaller batch.size, or end other programs on this GPU.*");
    }

    @Test
    void errorAfterProgressCountsAsTheFirstOne() throws Exception {
        TrainReport report = cluster.report(submit(12L, 40L, 60L));

        assertThat(ATTEMPTS).hasValue(4);
        assertThat(report.task().restarts()).isEqualTo(3);
        run().requireWholeHistory();
    }
}
