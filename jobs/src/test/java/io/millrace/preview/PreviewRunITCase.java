package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RunConfig;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.spec.RunSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainerSpec;
import io.millrace.train.TrainStep;
import io.millrace.train.spec.TrainSpec;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples of a preview, compared with those that a running job trains on. */
class PreviewRunITCase {
    /** A row that arrived at the trainer. */
    private record Row(long index, long label, String pixels) {}

    private static final Map<Long, Row> ARRIVED = new ConcurrentHashMap<>();

    @TempDir
    Path root;

    @Test
    void everyPositionHasThePixelsThatTheJobTrainsAndEvaluatesOn() throws Exception {
        PipelineConfig config = PhotoPipeline.make(root).config();
        RunPlan plan = RunPlanner.plan(config);
        ARRIVED.clear();
        try (EmbeddedFlink flink =
                EmbeddedFlink.start(Pipeline.slots(config), "0", RunConfig.Web.ON, new Configuration())) {
            SinkSpec sink = Sinks.of(config, plan, root);
            SinkSpec recording = new SinkSpec(
                    new RunSpec(plan.batches(), root.toString(), 1),
                    TrainerSpec.of(Recorder::open, sink.train().trainers()),
                    sink.device());
            var result = flink.jobs()
                    .result(flink.jobs().submit(Pipeline.graph(config, plan, recording)))
                    .get();
            assertThat(result.getJobStatus()).contains(JobStatus.FINISHED);
        }

        int good = check(config, plan, Split.TRAIN, 0) + check(config, plan, Split.TRAIN, 1);
        good += check(config, plan, Split.EVALUATE, 1);
        assertThat(good).isEqualTo(27);
        assertThat(ARRIVED).hasSize(good);
        try (PreviewRun first = PreviewRun.open(config, plan, Split.TRAIN, 0);
                PreviewRun second = PreviewRun.open(config, plan, Split.TRAIN, 1)) {
            assertThat(first.stages())
                    .containsExactly("read", "decode", "RandomResizedCrop", "RandomHorizontalFlip", "RandomMask");
            assertThat(first.view(0).drawn()).isNotEqualTo(second.view(0).drawn());
        }
        assertThatThrownBy(
                        () -> PreviewRun.open(config, plan, Split.EVALUATE, 0).close())
                .hasMessageContaining("no evaluation after epoch 0");
    }

    private static int check(PipelineConfig config, RunPlan plan, Split split, int epoch) throws Exception {
        int good = 0;
        try (PreviewRun run = PreviewRun.open(config, plan, split, epoch)) {
            assertThat(run.samples()).isEqualTo(10);
            for (long i = 0; i < run.samples(); i++) {
                Sample sample = run.view(i).sample();
                Row arrived = ARRIVED.get(sample.position());
                if (sample.badSample() != null) {
                    assertThat(sample.key()).isEqualTo(PhotoPipeline.BAD);
                    assertThat(arrived).isNull();
                } else {
                    assertThat(arrived)
                            .as("%s at position %d", sample.key(), sample.position())
                            .isEqualTo(new Row(
                                    sample.index(),
                                    sample.label(),
                                    hex(sample.image().data())));
                    good++;
                }
            }
        }
        return good;
    }

    private static String hex(byte[] pixels) {
        return HexFormat.of().formatHex(pixels);
    }

    /** Records every row by its position. */
    private static final class Recorder extends RowRecorder {
        static TrainStep open(TrainSpec spec, int capacity, Device device) {
            assertThat(spec.data().input().columns()).hasSize(1);
            assertThat(capacity).isEqualTo(4);
            return new Recorder();
        }

        @Override
        protected void record(DeviceBatch batch, int row, byte[] pixels) {
            ARRIVED.put(batch.position(row), new Row(batch.index(row), batch.label(row), hex(pixels)));
        }
    }
}
