package io.millrace.serve;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that remind a waiting client that the server is alive, one in each interval. The reason for the wait is
 * asked for first. Without an answer within the interval, the client hears the last known reason. Used by one thread.
 */
public final class Reminder {
    private @Nullable String reason;

    /** Whether the client waits for a message until the reason is known. */
    private boolean due;

    /** Asks for the reason, when the client has waited for an interval. */
    public void ask(Client client, long step) {
        if (due) {
            send(client, step);
        }
        due = true;
    }

    /**
     * Tells the client the answer, unless it waits no more.
     *
     * @param step the step that the client waits for
     * @param given the reason; null when the batch is only not ready
     */
    public void answer(Client client, long step, @Nullable String given) {
        if (due) {
            due = false;
            reason = given;
            send(client, step);
        }
    }

    /** Forgets the question: the client waits no more, or for something else. */
    public void forget() {
        reason = null;
        due = false;
    }

    private void send(Client client, long step) {
        String known = reason == null ? "batch " + step : reason;
        client.send(MessageType.WAIT, Map.of("reason", "waiting for " + known));
    }
}
