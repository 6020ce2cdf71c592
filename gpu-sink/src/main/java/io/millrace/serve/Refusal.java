package io.millrace.serve;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A client was refused. The client receives the code and the message. */
public final class Refusal extends IOException {
    private static final long serialVersionUID = 1;

    /** The reasons for which a client is refused. In messages they are written in lower case. */
    public enum Code {
        /** The client does not keep to the protocol, or uses another version of it. */
        PROTOCOL,
        /** The client has no token, or a wrong one. */
        TOKEN,
        /** The client's saved state belongs to a run with other settings. */
        PLAN_DIFFERS,
        /** The run has another number of ranks, or no such rank. */
        WORLD,
        /** The server cannot apply the device transforms, or the client of another rank asks for the other side. */
        TRANSFORMS,
        /** Another client has this rank. */
        RANK_TAKEN,
        /** The ranks ask for different steps. */
        RANKS_DISAGREE,
        /** The client's memory was lost while it was used, or the server has no memory left. */
        MEMORY,
        /** The client cannot reach the sink of its rank from its machine. */
        UNREACHABLE,
        /** The server does not deliver an evaluation. */
        NO_EVALUATION,
        /** The step is not one of the run. */
        STEP,
        /** The job has failed and will not continue. */
        JOB_FAILED
    }

    private final Code code;

    public Refusal(Code code, @Nullable String message) {
        super(String.valueOf(message));
        this.code = code;
    }

    /**
     * Refuses a client that asks for a step outside of the run.
     *
     * @param steps the number of steps of the run, which is the last step with which a client may begin
     */
    public static void requireStep(long step, long steps) throws Refusal {
        if (step < 0 || step > steps) {
            throw new Refusal(
                    Code.STEP,
                    "the client asks for step " + Long.toUnsignedString(step) + ", but the run has the steps 0 to "
                            + (steps - 1));
        }
    }

    /** Returns the reason. */
    public Code code() {
        return code;
    }

    /** Returns the reason as clients receive it. */
    String codeText() {
        return code.name().toLowerCase(Locale.ROOT);
    }
}
