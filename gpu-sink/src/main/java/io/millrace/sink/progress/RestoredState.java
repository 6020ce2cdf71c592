package io.millrace.sink.progress;

import io.millrace.train.state.StateChunk;
import java.util.List;

/**
 * The state from which a trainer continues.
 *
 * @param quarantine the bad samples, in pieces of state
 * @param rows the rows that waited for their batch, in pieces of state
 * @param model the chunks of the model's state, in any order; the trainer closes them when they are restored
 */
public record RestoredState(Progress progress, List<byte[]> quarantine, List<byte[]> rows, List<StateChunk> model) {}
