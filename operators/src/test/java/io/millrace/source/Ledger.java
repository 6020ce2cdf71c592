package io.millrace.source;

import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * An operator that keeps (position, index) of every sample in its state, so that its state at the end of input is the
 * history after all failures. It then publishes the history within this JVM under the run's name.
 */
final class Ledger extends AbstractStreamOperator<Long>
        implements OneInputStreamOperator<Sample, Long>, BoundedOneInput {
    private static final long serialVersionUID = 1;

    private static final Map<String, Map<Integer, List<Tuple2<Long, Long>>>> HISTORIES = new ConcurrentHashMap<>();

    private final String run;
    private transient List<Tuple2<Long, Long>> noted = new ArrayList<>();
    private transient @Nullable ListState<Tuple2<Long, Long>> stored;

    Ledger(String run) {
        this.run = run;
    }

    /** Removes and returns the entries of all subtasks of the run, in order of position. */
    static List<Tuple2<Long, Long>> takeHistory(String run) {
        return Objects.requireNonNull(HISTORIES.remove(run)).values().stream()
                .flatMap(List::stream)
                .sorted((a, b) -> Long.compare(a.f0, b.f0))
                .toList();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        ListState<Tuple2<Long, Long>> state = context.getOperatorStateStore()
                .getListState(new ListStateDescriptor<>("noted", Types.TUPLE(Types.LONG, Types.LONG)));
        noted = new ArrayList<>();
        state.get().forEach(noted::add);
        stored = state;
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        Objects.requireNonNull(stored).update(noted);
    }

    @Override
    public void processElement(StreamRecord<Sample> element) {
        Sample sample = element.getValue();
        noted.add(Tuple2.of(sample.position(), sample.index()));
    }

    @Override
    public void endInput() {
        HISTORIES
                .computeIfAbsent(run, name -> new ConcurrentHashMap<>())
                .put(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), List.copyOf(noted));
    }
}
