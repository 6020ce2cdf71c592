package io.millrace.pipeline;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.jobgraph.JobVertex;

/**
 * The fewest slots that a job needs under Flink's adaptive scheduler. All stages on the data servers together need one
 * slot, but each trainer needs a slot of its own. So a job that lost a TaskManager waits for another one, instead of
 * starting with fewer trainers than its checkpoint has.
 */
final class MinimumSlots {
    private MinimumSlots() {}

    /** Declares the fewest slots in the job's graph. Other schedulers ignore them. */
    static void declare(JobGraph job) {
        JobResourceRequirements.Builder requirements = JobResourceRequirements.newBuilder();
        boolean several = false;
        for (JobVertex vertex : job.getVertices()) {
            // Only the trainers' stage has a maximum that equals its parallelism.
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
