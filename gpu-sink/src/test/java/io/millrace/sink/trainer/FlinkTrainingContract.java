package io.millrace.sink.trainer;

import static io.millrace.device.EngineUnderTest.ROUNDING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.DeviceSpec;
import io.millrace.device.EngineUnderTest;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.order.BatchPlan;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.trainer.Accidents.Place;
import io.millrace.train.engine.TrainingRuntime;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of complete trainings by Flink on a device. Their results equal those on the host, even with bad
 * samples, failures and checkpoints that continue on another device. No resource of the device stays open.
 */
abstract class FlinkTrainingContract {
    private static final int SLOTS = 3;
    private static final BatchPlan PLAN = new BatchPlan(1511, 32, false, 24, 110, 2);

    @TempDir
    Path folder;

    private final EngineUnderTest engine;
    private final DeviceSpec deviceSpec;
    private TrainingCluster cluster;

    FlinkTrainingContract(EngineUnderTest engine) {
        this.engine = engine;
        this.deviceSpec = new DeviceSpec(DeviceSpec.Kind.CUDA, 0, 64 << 20, Need.REQUIRED, engine.opener());
    }

    @BeforeEach
    void start() throws Exception {
        cluster = TrainingCluster.start(1, SLOTS);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.stop();
        engine.assertNothingLeft();
    }

    private RecoveryRun run(String name) throws Exception {
        return new RecoveryRun(PLAN, Files.createDirectories(folder.resolve(name)));
    }

    private static void requireAlike(TrainReport found, TrainReport expected) {
        assertThat(found.counters().steps()).isEqualTo(expected.counters().steps());
        assertThat(found.counters().samples()).isEqualTo(expected.counters().samples());
        assertThat(found.task().quarantined()).isEqualTo(expected.task().quarantined());
        assertThat(found.task().quarantinedRows()).isEqualTo(expected.task().quarantinedRows());
        assertThat(found.result().finalLoss()).isCloseTo(expected.result().finalLoss(), within(ROUNDING));
        assertThat(found.result().evaluationLoss()).isCloseTo(expected.result().evaluationLoss(), within(ROUNDING));
        assertThat(found.result().accuracy()).isCloseTo(expected.result().accuracy(), within(0.03));
    }

    private void requireSameWeights(String found, String expected) throws Exception {
        float[] values = weights(found);
        float[] wanted = weights(expected);
        assertThat(values).hasSameSizeAs(wanted);
        double most = 0;
        for (int i = 0; i < values.length; i++) {
            most = Math.max(most, Math.abs((double) values[i] - wanted[i]));
        }
        assertThat(most).as("the largest difference of a weight").isLessThan(ROUNDING);
    }

    /** Returns all values of the model's file, without its header. */
    private float[] weights(String run) throws Exception {
        ByteBuffer file = ByteBuffer.wrap(
                        Files.readAllBytes(folder.resolve(run).resolve("model").resolve("model.safetensors")))
                .order(ByteOrder.LITTLE_ENDIAN);
        int begin = Long.BYTES + Math.toIntExact(file.getLong(0));
        float[] values = new float[(file.capacity() - begin) / Float.BYTES];
        file.position(begin)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        return values;
    }

    @Test
    void runGivesTheSameResultAsOnTheHost() throws Exception {
        TrainReport host = cluster.quiet(run("host"));
        TrainReport device = cluster.quiet(run("device").on(deviceSpec));
        requireAlike(device, host);
        requireSameWeights("device", "host");
        assertThat(device.counters().wireBytes()).isEqualTo(host.counters().wireBytes());
        DeviceFigures figures = Objects.requireNonNull(device.attempt().device());
        assertThat(figures.description()).startsWith("cuda:0 (");
        assertThat(figures.engineVersion()).isEqualTo(TrainingRuntime.version());
        assertThat(figures.use().engineNanos()).isPositive();
        assertThat(figures.pageableBuffers()).isZero();
        List<String> steps = Files.readAllLines(folder.resolve("device/steps.csv"));
        List<String> expected = Files.readAllLines(folder.resolve("host/steps.csv"));
        assertThat(steps).hasSameSizeAs(expected);
        for (int i = 1; i < steps.size(); i++) {
            List<String> step = List.of(steps.get(i).split(",", -1));
            List<String> wanted = List.of(expected.get(i).split(",", -1));
            assertThat(step.subList(0, 3)).isEqualTo(wanted.subList(0, 3));
            assertThat(Double.parseDouble(step.get(3)))
                    .as("loss of step %s", step.get(0))
                    .isCloseTo(Double.parseDouble(wanted.get(3)), within(ROUNDING));
        }
    }

    @Test
    void failuresDoNotChangeTheResult() throws Exception {
        TrainReport quiet = cluster.quiet(run("quiet").on(deviceSpec));
        RecoveryRun run = run("run").on(deviceSpec);
        Accidents.plan(Place.TRAINER, 3, 5);
        TrainReport report = cluster.report(
                cluster.submit(run.graph(2, RecoveryRun.checkpointed(folder.resolve("checkpoints"), false))));
        assertThat(Accidents.left()).isZero();
        assertThat(report.task().restarts()).isGreaterThanOrEqualTo(3);
        if (engine.computesAsTheHost()) {
            assertThat(report.result().parametersSha256())
                    .isEqualTo(quiet.result().parametersSha256());
        }
        requireSameWeights("run", "quiet");
        requireAlike(report, quiet);
        run.requireWholeHistory();
    }

    @Test
    void checkpointContinuesOnTheOtherKindOfDevice() throws Exception {
        TrainReport host = cluster.quiet(run("host"));
        String fromDevice = checkpoint(run("first").on(deviceSpec));
        String fromHost = checkpoint(run("second"));
        requireAlike(continueFrom(run("on-host"), fromDevice), host);
        requireSameWeights("on-host", "host");
        requireAlike(continueFrom(run("on-device").on(deviceSpec), fromHost), host);
        requireSameWeights("on-device", "host");
    }

    private String checkpoint(RecoveryRun run) throws Exception {
        Accidents.plan(Place.NOWHERE, 0, 0);
        JobID job = cluster.submit(run.graph(2, RecoveryRun.checkpointed(folder.resolve("checkpoints"), false)));
        Accidents.await(1, 30);
        return cluster.checkpointAndCancel(job);
    }

    private TrainReport continueFrom(RecoveryRun run, String from) throws Exception {
        Accidents.plan(Place.NOWHERE, 0, 0);
        TrainReport report = cluster.report(cluster.submit(run.graph(2, new Configuration()), from));
        run.requireWholeHistory();
        return report;
    }
}
