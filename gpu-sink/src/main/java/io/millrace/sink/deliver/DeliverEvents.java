package io.millrace.sink.deliver;

import io.millrace.serve.Join;
import io.millrace.serve.Refusal;
import java.util.List;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.jspecify.annotations.Nullable;

/** The events between the sinks of a served run and their coordinator, and the request to end the run. */
public final class DeliverEvents {
    private DeliverEvents() {}

    /** To the coordinator: a client of this rank has connected. It asks for batches when its program needs one. */
    record Connected(String client) implements OperatorEvent {}

    /**
     * To the coordinator: the client of this rank asks for batches.
     *
     * @param transforms the side that applies the device transforms
     */
    record Ask(RankAgreement.Request request, Join.Transforms transforms) implements OperatorEvent {}

    /** To the coordinator: the place of a client that receives batches. */
    record Located(RankAgreement.Request place) implements OperatorEvent {}

    /** To the coordinator: this sink has dropped all rows of earlier generations. */
    record Flushed(long generation) implements OperatorEvent {}

    /** To the coordinator: the client of this rank needs no more batches. */
    record Done() implements OperatorEvent {}

    /** To the coordinator: the client of this rank has gone. */
    record Gone() implements OperatorEvent {}

    /** To the coordinator: the client of this rank has waited for some time. */
    record Waits() implements OperatorEvent {}

    /**
     * To a sink: drop all rows of earlier generations and of earlier steps; then batches from this step on follow. The answer
     * to the request of this number.
     */
    record Flush(long generation, long step, long request) implements OperatorEvent {}

    /**
     * To a sink, which has no client: drop all rows of earlier generations, and let those that follow wait for a client. The
     * answer is {@link Flushed}.
     */
    record Prepare(long generation) implements OperatorEvent {}

    /** To the coordinator of the training: the loop will ask for the evaluation soon. */
    record EvaluationNears() implements OperatorEvent {}

    /**
     * To the coordinator: the evaluation cannot be delivered to this rank. The coordinator sends it to the sinks of the other
     * ranks, whose clients would wait for this one.
     *
     * @param reason a sentence for the clients of all ranks
     */
    record Failed(String reason) implements OperatorEvent {}

    /** To a sink: report the place of a client that receives batches. */
    record Locate() implements OperatorEvent {}

    /**
     * To a sink: the answer to {@link Waits}.
     *
     * @param reason the reason why its client waits; null when its batch is only not ready
     */
    record Report(@Nullable String reason) implements OperatorEvent {}

    /** To a sink: its client is refused. The answer to the request of this number. */
    record Refuse(Refusal.Code code, String reason, long request) implements OperatorEvent {}

    /** To a sink: end the connection and report the run, because the job ends. */
    record Stop() implements OperatorEvent {}

    /**
     * To the coordinator: this sink has ended its connection.
     *
     * @param problem the reason why it could not report the run; null when it has reported it
     */
    record Stopped(@Nullable String problem) implements OperatorEvent {}

    /**
     * To the coordinator, from outside the job: let the sinks end their connections and report the run, and then let the job finish.
     * A sink that is only cancelled does not know whether another attempt continues the run, and clients of a job that was
     * cancelled do not wait for another one.
     */
    public record StopRequest() implements CoordinationRequest {
        private static final long serialVersionUID = 1;
    }

    /**
     * The answer to {@link StopRequest} when all sinks have reported.
     *
     * @param sinks the number of sinks that were running
     * @param problems a sentence for each sink that could not report
     */
    public record StopAnswer(int sinks, List<String> problems) implements CoordinationResponse {
        private static final long serialVersionUID = 1;

        public StopAnswer {
            problems = List.copyOf(problems);
        }
    }
}
