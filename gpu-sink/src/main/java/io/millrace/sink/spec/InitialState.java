package io.millrace.sink.spec;

import java.io.Serializable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The state that a run starts from when Flink has no checkpoint.
 *
 * @param state the folder {@code model/state} of a finished run; null for new parameters
 */
public record InitialState(@Nullable String state) implements Serializable {
    /** The name of the folder of a state, within the folder {@code model} of a run. */
    public static final String FOLDER = "state";

    /** The start with new parameters. */
    public static final InitialState NEW = new InitialState(null);

    /** Returns the start of one rank, with the state of that rank. */
    InitialState forRank(int rank) {
        if (state == null || rank == 0) {
            return this;
        }
        Path run = Path.of(state, "..", "..").normalize(); // state is the folder model/state of a run
        return new InitialState(
                Trainers.folder(run, rank).resolve("model").resolve(FOLDER).toString());
    }
}
