package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.trainer.Accidents.Place;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** A cluster in this process on which tests run trainings. */
final class TrainingCluster {
    private static final long MINUTES = 5;

    private final MiniCluster cluster;

    private TrainingCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    static TrainingCluster start(int taskManagers, int slots) throws Exception {
        MiniCluster started = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(new Configuration()
                        .set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32))
                        .set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32)))
                .setNumTaskManagers(taskManagers)
                .setNumSlotsPerTaskManager(slots)
                .withRandomPorts()
                .build());
        started.start();
        return new TrainingCluster(started);
    }

    JobID submit(StreamGraph graph) throws Exception {
        return cluster.submitJob(graph.getJobGraph()).get().getJobID();
    }

    /** Submits a job that continues from a checkpoint or savepoint. */
    JobID submit(StreamGraph graph, String from) throws Exception {
        graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(from, false));
        return submit(graph);
    }

    private JobResult result(JobID job) throws Exception {
        try {
            return cluster.requestJobResult(job).get(MINUTES, TimeUnit.MINUTES);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    "the job has not ended in " + MINUTES + " min; its threads:" + Accidents.threads(), e);
        }
    }

    /** Waits for the end of a job, and returns the report of its only trainer. */
    TrainReport report(JobID job) throws Exception {
        Object reports = result(job)
                .toJobExecutionResult(getClass().getClassLoader())
                .getAccumulatorResult(TrainReport.ACCUMULATOR);
        return TrainReports.of(reports).orElseThrow().whole();
    }

    /** Waits for the end of a job that must fail, and returns its failure. */
    Throwable failure(JobID job) throws Exception {
        return result(job)
                .getSerializedThrowable()
                .orElseThrow(() -> new AssertionError("the job has not failed"))
                .deserializeError(getClass().getClassLoader());
    }

    /** Runs a job without checkpoints and without failures, and returns its report. */
    TrainReport quiet(RecoveryRun run) throws Exception {
        Accidents.plan(Place.NOWHERE, 0, 0);
        TrainReport report = report(submit(run.graph(2, new Configuration())));
        run.requireWholeHistory();
        return report;
    }

    /** Makes a checkpoint and cancels the job; returns the checkpoint's path. */
    String checkpointAndCancel(JobID job) throws Exception {
        String checkpoint = cluster.triggerCheckpoint(job).get(MINUTES, TimeUnit.MINUTES);
        cluster.cancelJob(job).get();
        assertThat(result(job).getJobStatus()).contains(JobStatus.CANCELED);
        return checkpoint;
    }

    /** Stops the job with a savepoint; returns the savepoint's path. */
    String stopWithSavepoint(JobID job, String folder) throws Exception {
        return cluster.stopWithSavepoint(job, folder, false, SavepointFormatType.CANONICAL)
                .get(MINUTES, TimeUnit.MINUTES);
    }

    /** Starts another TaskManager and ends the TaskManager with this number at once. */
    void replaceTaskManager(int number) throws Exception {
        cluster.terminateTaskManager(number).get(MINUTES, TimeUnit.MINUTES);
        cluster.startTaskManager();
    }

    void stop() throws Exception {
        cluster.closeAsync().get(MINUTES, TimeUnit.MINUTES);
    }
}
