package io.millrace.pack;

import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** The graph of a pack: the tasks' numbers, the work on them, the commit. */
final class PackJob {
    /** The operator that does the work, as metrics and the web UI name it. */
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
