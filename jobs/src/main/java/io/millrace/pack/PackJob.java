package io.millrace.pack;

import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** The Flink graph of a pack: a source of task numbers, an operator that executes the tasks, and the commit. */
final class PackJob {
    /** The name of the operator that executes the tasks, in metrics and in the web UI. */
    static final String STAGE = "pack";

    private PackJob() {}

    static StreamGraph graph(PackSpec spec, PackPlan plan, Map<String, Object> source, int parallelism) {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        StreamExecutionEnvironment environment = new StreamExecutionEnvironment(configuration);
        environment.setParallelism(parallelism);
        environment
                .fromSource(new TaskSource(plan.tasks()), WatermarkStrategy.noWatermarks(), "tasks", Types.LONG)
                .uid("tasks")
                .transform(STAGE, Types.LONG, new TaskOperator(spec, plan))
                .uid(STAGE)
                .transform("commit", Types.VOID, new CommitOperator(spec, plan, source))
                .uid("commit")
                .setParallelism(1)
                .setMaxParallelism(1);
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName("millrace pack " + spec.dataset().path());
        return graph;
    }
}
