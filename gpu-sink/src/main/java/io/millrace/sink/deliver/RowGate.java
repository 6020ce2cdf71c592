package io.millrace.sink.deliver;

import org.jspecify.annotations.Nullable;

/**
 * The gate through which the rows of a served run pass to a rank's client, from one generation to the next. Only the task's
 * thread calls it.
 *
 * <p>Tested by {@code PreparedRowsTest} and {@code ServeRanksITCase}.
 */
final class RowGate {
    private enum State {
        /** The rows are for the client. */
        OPEN,
        /** The rows wait, and so does everything upstream. */
        CLOSED,
        /** The rows are dropped, because they belong to an earlier generation or nobody needs them. */
        DROPPING
    }

    private static final long NONE = Long.MIN_VALUE;

    private final int world;
    private State state = State.CLOSED;

    /** The number of the latest request for a step. Answers to earlier requests are ignored. */
    private long request;

    /** Whether the client waits for the answer to a request. */
    private boolean asks;

    /** The generation whose rows are needed, once its number is known. */
    private DeliverEvents.@Nullable Flush target;

    /** The latest generation before which all rows have arrived. */
    private long passed = NONE;

    /** The generation whose rows wait for the next client, or will; {@link #NONE} if they do not. */
    private long prepared = NONE;

    /** Creates the gate of one of {@code world} ranks, which is closed. */
    RowGate(int world) {
        this.world = world;
    }

    /** Returns whether the rows that arrive are for the client. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Returns whether the rows that arrive are dropped. */
    boolean isDropping() {
        return state == State.DROPPING;
    }

    /** Returns whether the client waits for the answer to a request. */
    boolean asks() {
        return asks;
    }

    /** Returns the generation whose rows wait for the next client, or will. */
    long prepared() {
        return prepared;
    }

    /** Returns the number of the latest request. */
    long request() {
        return request;
    }

    /**
     * Counts a request of the client for a step. The rows of a client that has just connected wait, so that other ranks
     * that receive batches do not go on far without it. Otherwise rows are dropped, because another rank may need
     * batches until it asks for the same step.
     *
     * @return the number of the request
     */
    long ask(RankAgreement.Origin origin) {
        close();
        asks = true;
        if (prepared != NONE && origin == RankAgreement.Origin.STARTED) {
            return request; // the rows that wait may be those that it asks for
        }
        prepared = NONE;
        state = world == 1 || origin == RankAgreement.Origin.SOUGHT ? State.DROPPING : State.CLOSED;
        return request;
    }

    /** Lets rows wait. An answer that is under way is not for the next client. */
    void close() {
        request++;
        asks = false;
        target = null;
        state = untilPrepared();
    }

    /** Drops all rows from now on, because the client needs no more. */
    void end() {
        close();
        prepared = NONE;
        state = State.DROPPING;
    }

    private State untilPrepared() {
        return passed < prepared ? State.DROPPING : State.CLOSED;
    }

    /**
     * Drops all rows until those of a generation begin, which then wait for the next client.
     *
     * @return true when all rows of earlier generations have arrived before
     */
    boolean prepare(long generation) {
        prepared = generation;
        state = untilPrepared();
        return state == State.CLOSED;
    }

    /**
     * Takes the coordinator's answer to a request: rows are dropped until those of the granted generation begin.
     *
     * @return false when this is not the answer to the latest request
     */
    boolean grant(DeliverEvents.Flush flush) {
        if (flush.request() != request) {
            return false;
        }
        target = flush;
        prepared = NONE;
        state = State.DROPPING;
        return true;
    }

    /**
     * Notes that all rows of generations before this one have arrived.
     *
     * @return true when the rows that follow are those that were prepared
     */
    boolean passed(long generation) {
        boolean waited = passed < prepared;
        passed = Math.max(passed, generation);
        if (!waited || passed < prepared) {
            return false;
        }
        state = State.CLOSED;
        return true;
    }

    /** Opens if all rows of earlier generations have arrived, and returns the generation that begins; otherwise null. */
    DeliverEvents.@Nullable Flush begin() {
        DeliverEvents.Flush next = target;
        if (next == null || passed < next.generation()) {
            return null;
        }
        target = null;
        state = State.OPEN;
        return next;
    }

    /** Returns whether the client waits for the answer, and records that it has it. */
    boolean answered() {
        boolean asked = asks;
        asks = false;
        return asked;
    }
}
