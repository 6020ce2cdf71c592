package io.millrace.pipeline;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainStepOpener;
import io.millrace.sink.spec.TrainerSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.util.Reference;
import org.jspecify.annotations.Nullable;

/** A finished run of a pipeline on a cluster of one or several TaskManagers. */
public final class RankRun {
    private RankRun() {}

    /** Runs a pipeline; {@code settings} are overrides as for {@code --set}. */
    public static TrainReports of(Path file, Path folder, int taskManagers, String... settings) throws Exception {
        return of(file, folder, taskManagers, null, settings);
    }

    /** Runs a pipeline with the test's own training step. */
    @SuppressWarnings("try") // the cluster declares that closing it may be interrupted
    public static TrainReports of(
            Path file, Path folder, int taskManagers, @Nullable TrainStepOpener opener, String... settings)
            throws Exception {
        PipelineConfig config = TransformPlacement.of(ConfigReader.read(file, List.of(settings)));
        RunPlan plan = RunPlanner.plan(config);
        SinkSpec sink = Sinks.of(config, plan, Files.createDirectories(folder));
        if (opener != null) {
            sink = sink.with(TrainerSpec.of(opener, sink.train().trainers()));
        }
        int slots = Pipeline.slots(config);
        Configuration flink = new Configuration();
        flink.set(RestOptions.BIND_PORT, "0");
        flink.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        flink.set(TaskManagerOptions.NUM_TASK_SLOTS, slots / taskManagers);
        MiniClusterConfiguration machines = new MiniClusterConfiguration.Builder()
                .setConfiguration(flink)
                .setNumTaskManagers(taskManagers)
                .setNumSlotsPerTaskManager(slots / taskManagers)
                .build();
        RpcSystem rpc = SharedRpcSystem.get(flink);
        try (MiniCluster cluster = new MiniCluster(machines, () -> Reference.borrowed(rpc))) {
            cluster.start();
            JobID job = cluster.submitJob(Pipeline.graph(config, plan, sink).getJobGraph())
                    .get()
                    .getJobID();
            Object accumulated = cluster.requestJobResult(job)
                    .get()
                    .toJobExecutionResult(RankRun.class.getClassLoader())
                    .getAccumulatorResult(TrainReport.ACCUMULATOR);
            return TrainReports.of(accumulated).orElseThrow();
        }
    }
}
