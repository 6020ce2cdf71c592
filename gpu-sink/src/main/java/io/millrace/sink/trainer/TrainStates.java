package io.millrace.sink.trainer;

import io.millrace.sink.PieceSerializer;
import io.millrace.sink.StateChunkSerializer;
import io.millrace.sink.files.StateBytes;
import io.millrace.sink.files.StateBytes.Kind;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.progress.RestoredState;
import io.millrace.train.state.StateChunk;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.jspecify.annotations.Nullable;

/**
 * The training operator's state in Flink, which consists of four lists. They are filled only for a checkpoint and
 * emptied after it, because Flink would otherwise keep their elements in memory until the next checkpoint.
 *
 * <p>Flink's threads write the elements to storage while the training continues, so the elements must not change.
 */
public final class TrainStates {
    private final ListState<byte[]> progress;
    private final ListState<byte[]> quarantine;
    private final ListState<byte[]> rows;
    private final ListState<StateChunk> model;

    public TrainStates(OperatorStateStore store) throws Exception {
        progress = store.getListState(new ListStateDescriptor<>("millrace.progress", PieceSerializer.INSTANCE));
        quarantine = store.getListState(new ListStateDescriptor<>("millrace.quarantine", PieceSerializer.INSTANCE));
        rows = store.getListState(new ListStateDescriptor<>("millrace.rows", PieceSerializer.INSTANCE));
        model = store.getListState(new ListStateDescriptor<>("millrace.model", StateChunkSerializer.INSTANCE));
    }

    /** Removes and returns the restored state; null when there is none. */
    @Nullable
    public RestoredState take() throws Exception {
        List<byte[]> found = list(progress);
        if (found.isEmpty()) {
            return null;
        }
        if (found.size() > 1) {
            throw new StateRefusedException("the checkpoint has the state of " + found.size()
                    + " trainers, but this is one trainer: resume with the same number of trainers");
        }
        Progress where = Progress.read(StateBytes.unwrap(Kind.PROGRESS, found.get(0)));
        RestoredState restored = new RestoredState(where, list(quarantine), list(rows), list(model));
        clear();
        return restored;
    }

    private static <T> List<T> list(ListState<T> state) throws Exception {
        List<T> found = new ArrayList<>();
        state.get().forEach(found::add);
        return found;
    }

    /** Fills the lists for the current checkpoint. */
    public void put(RestoredState state) throws Exception {
        progress.update(List.of(StateBytes.wrap(Kind.PROGRESS, state.progress().json())));
        quarantine.update(state.quarantine());
        rows.update(state.rows());
        model.update(state.model());
    }

    /** Empties the lists. */
    void clear() {
        progress.clear();
        quarantine.clear();
        rows.clear();
        model.clear();
    }
}
