package io.millrace.cluster;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** An endless job with checkpoints that records the times at which it works, so that a test can compute its pauses. */
public final class TrialJob {
    private static final long RECORDS_PER_SECOND = 400;
    private static final long NOTE_MILLIS = 50;

    /** The placement of the operators. */
    public enum Placement {
        /** Any slot. */
        ANYWHERE,
        /** The recording operator runs on a TaskManager with a GPU, the others on TaskManagers with the resource "data". */
        BY_RESOURCE
    }

    private TrialJob() {}

    /**
     * An operator that records the time, at most every 50 ms. Its parallelism is 1, like that of the training operator.
     */
    public static final class Noting implements MapFunction<Long, Long> {
        private static final long serialVersionUID = 1;
        private final String file;
        private long noted;

        Noting(Path file) {
            this.file = file.toString();
        }

        @Override
        public Long map(Long value) throws IOException {
            long now = System.currentTimeMillis();
            if (now - noted >= NOTE_MILLIS) {
                noted = now;
                Files.writeString(
                        Path.of(file),
                        now + "\n",
                        StandardCharsets.UTF_8,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            }
            return value;
        }
    }

    /**
     * Submits a job.
     *
     * @param notes the file of the recorded times
     * @param checkpoints the folder of the checkpoints
     */
    public static JobID submit(
            URI cluster, Path jar, int parallelism, Path notes, Path checkpoints, Placement placement)
            throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        StreamExecutionEnvironment environment = new StreamExecutionEnvironment(configuration);
        environment.setParallelism(parallelism);
        GeneratorFunction<Long, Long> same = value -> value;
        SingleOutputStreamOperator<Long> read = environment.fromSource(
                new DataGeneratorSource<>(
                        same, Long.MAX_VALUE, RateLimiterStrategy.perSecond(RECORDS_PER_SECOND), Types.LONG),
                WatermarkStrategy.noWatermarks(),
                "read");
        SingleOutputStreamOperator<Long> noting =
                read.rebalance().map(new Noting(notes)).name("train").setParallelism(1);
        if (placement == Placement.BY_RESOURCE) {
            read.slotSharingGroup(group("data"));
            noting.slotSharingGroup(group("gpu"));
        }
        noting.sinkTo(new DiscardingSink<>()).setParallelism(1);
        JobGraph graph = environment.getStreamGraph().getJobGraph();
        graph.addJar(new org.apache.flink.core.fs.Path(jar.toUri()));
        Configuration client = new Configuration();
        client.set(RestOptions.ADDRESS, cluster.getHost());
        client.set(RestOptions.PORT, cluster.getPort());
        try (RestClusterClient<StandaloneClusterId> rest =
                new RestClusterClient<>(client, StandaloneClusterId.getInstance())) {
            return rest.submitJob(graph).get();
        }
    }

    private static SlotSharingGroup group(String resource) {
        return SlotSharingGroup.newBuilder(resource)
                .setCpuCores(0.5)
                .setTaskHeapMemoryMB(100)
                .setExternalResource(resource, 1)
                .build();
    }

    /** Returns the times recorded so far, in milliseconds since 1970. */
    public static List<Long> notes(Path file) throws IOException {
        return Files.exists(file)
                ? Files.readAllLines(file).stream()
                        .filter(line -> line.length() == 13)
                        .map(Long::valueOf)
                        .toList()
                : List.of();
    }

    /** Returns the number of recorded times after a time. */
    public static long notesAfter(Path file, long millis) throws IOException {
        return notes(file).stream().filter(time -> time > millis).count();
    }

    /** Returns the longest pause between recorded times after a time, in seconds. */
    public static double longestPauseSeconds(Path file, long fromMillis) throws IOException {
        long before = fromMillis;
        long longest = 0;
        for (long time : notes(file)) {
            if (time > fromMillis) {
                longest = Math.max(longest, time - before);
                before = time;
            }
        }
        return longest / 1e3;
    }
}
