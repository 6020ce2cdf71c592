package io.millrace.sink;

import io.millrace.train.state.StateChunk;
import java.util.List;

/**
 * What a trainer goes on from.
 *
 * @param quarantine the bad samples, in pieces of state
 * @param rows those that waited for their batch, in pieces of state
 * @param model the pieces of the model's state, in any order; the trainer closes them when it has taken them
 */
record RestoredState(Progress progress, List<byte[]> quarantine, List<byte[]> rows, List<StateChunk> model) {}
