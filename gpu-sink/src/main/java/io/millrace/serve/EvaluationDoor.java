package io.millrace.serve;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends a client to the endpoint of the stream that it asks for. Any thread may call the methods. */
final class EvaluationDoor {
    private final ServeSpec.Stream here;

    private volatile @Nullable ServeEndpoint evaluation;

    /**
     * Creates the door of an endpoint.
     *
     * @param here the stream that the endpoint delivers
     */
    EvaluationDoor(ServeSpec.Stream here) {
        this.here = here;
    }

    /** Opens the way to the endpoint of the evaluation. */
    void leadTo(ServeEndpoint endpoint) {
        evaluation = endpoint;
    }

    /**
     * Sends a client that asks for the evaluation to its endpoint.
     *
     * @return false when the client has come to the right endpoint
     * @throws Refusal when this endpoint knows of no evaluation, or delivers only the evaluation and the client asks for the training
     */
    boolean leadsAway(Join join, Link link) throws IOException {
        boolean asks = join.asksForEvaluation();
        if (here == ServeSpec.Stream.EVALUATION) {
            if (!asks) {
                throw new Refusal(
                        Refusal.Code.PROTOCOL,
                        "the client asks for the stream training at an address that delivers only the evaluation: expected the"
                                + " address that serve has printed");
            }
            return false;
        }
        if (!asks) {
            return false;
        }
        ServeEndpoint found = evaluation;
        if (found == null) {
            throw new Refusal(
                    Refusal.Code.NO_EVALUATION,
                    "this server delivers no evaluation: expected a pipeline with the section evaluate, and, for"
                            + " a job on a cluster, the address of the command serve or of the JobManager");
        }
        Client.send(link, MessageType.REDIRECT, Map.of("addresses", found.addresses()));
        return true;
    }
}
