package io.millrace.sink.deliver;

import org.jspecify.annotations.Nullable;

/** The actions that follow from an agreement of the ranks, or from a preparation ({@link RankAgreement}). */
interface AgreementEffects {
    /** Lets the readers drop what they read, and afterwards read from this step on. */
    void seek(long generation, long step);

    /**
     * Lets the sink of a rank drop all rows of earlier generations, and of steps before this one.
     *
     * @param request the number of the rank's request that is granted
     */
    void flush(int rank, long generation, long step, long request);

    /**
     * Lets the sink of a rank, which has no client, drop all rows of earlier generations. The rows that follow wait for a
     * client.
     */
    void prepare(int rank, long generation);

    /**
     * Asks the sink of a rank whose client receives batches for its place, which it reports with {@link
     * RankAgreement#located}.
     */
    void locate(int rank);

    /** Lets the readers begin, because all rows of earlier generations are gone. */
    void begin(long generation);

    /** Ends the readers, because no client needs more batches. */
    void finish();

    /** Tells the client of a rank what it waits for; null when it waits for no other rank. */
    void report(int rank, @Nullable String reason);

    /**
     * Refuses the request of a rank whose client asks for another step than the clients of other ranks.
     *
     * @param request the number of the rank's request that is refused
     */
    void disagree(int rank, String reason, long request);
}
