package io.millrace.pipeline;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.jobgraph.JobVertex;

/**
 * With how few slots a job may run where Flink takes what there is (adaptive scheduler): stages on the data servers with
 * one, but every trainer needs its own. So a job whose TaskManager was lost waits for another, and does not begin with
 * fewer trainers than its checkpoint has.
 */
final class MinimumSlots {
    private MinimumSlots() {}

    /** Tells the job's graph. Other schedulers do not look at it. */
    static void tell(JobGraph job) {
        JobResourceRequirements.Builder requirements = JobResourceRequirements.newBuilder();
        boolean several = false;
        for (JobVertex vertex : job.getVertices()) {
            // Only the trainers' stage can never have more tasks than it has.
            boolean fixed = vertex.getMaxParallelism() == vertex.getParallelism();
            several |= fixed && vertex.getParallelism() > 1;
            requirements.setParallelismForJobVertex(
                    vertex.getID(), fixed ? vertex.getParallelism() : 1, vertex.getParallelism());
        }
        if (!several) {
            return;
        }
        try {
            JobResourceRequirements.writeToExecutionPlan(job, requirements.build());
        } catch (IOException e) {
            throw new UncheckedIOException("the job's slots cannot be written into its graph", e);
        }
    }
}
