package io.millrace.serve;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The way from the endpoint of a run to that of its evaluation. Any thread may call the methods. */
final class EvaluationDoor {
    private volatile @Nullable ServeEndpoint evaluation;

    /** Opens the way to an endpoint. */
    void leadTo(ServeEndpoint endpoint) {
        evaluation = endpoint;
    }

    /**
     * Sends a client that asks for the evaluation to its endpoint.
     *
     * @param here the endpoint to which the client has come
     * @return false when the client has come to the right endpoint
     * @throws Refusal when there is no evaluation
     */
    boolean leadsAway(ServeEndpoint here, Link link) throws IOException {
        ServeEndpoint found = evaluation;
        if (found == null) {
            throw new Refusal(
                    Refusal.Code.NO_EVALUATION,
                    "this server delivers no evaluation: expected a pipeline with the section evaluate, and, for"
                            + " a job on a cluster, the address of the command serve or of the JobManager");
        }
        if (found == here) {
            return false;
        }
        Client.send(link, MessageType.REDIRECT, Map.of("addresses", found.addresses()));
        return true;
    }
}
