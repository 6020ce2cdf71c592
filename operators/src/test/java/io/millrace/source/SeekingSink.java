package io.millrace.source;

import io.millrace.sample.Sample;
import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * The sink of a served run, with a coordinator that seeks on its {@link SeekBoard}. It passes each sample to the {@link
 * Arrivals} of its run, which block it as a sink without free memory is blocked.
 */
final class SeekingSink extends AbstractStreamOperator<Void> implements OneInputStreamOperator<Sample, Void> {
    private static final long serialVersionUID = 1;

    private final String run;
    private final transient OperatorEventGateway coordinator;
    private transient long generation;

    private SeekingSink(StreamOperatorParameters<Void> parameters, String run, OperatorEventGateway coordinator) {
        super(parameters);
        this.run = run;
        this.coordinator = coordinator;
    }

    @Override
    public void processWatermark(Watermark mark) {
        if (mark.getTimestamp() != Long.MAX_VALUE) { // the end of input
            generation = mark.getTimestamp();
            coordinator.sendEventToCoordinator(new Reached(generation));
        }
    }

    @Override
    public void processElement(StreamRecord<Sample> element) throws InterruptedException {
        Arrivals.of(run).add(generation, element.getValue().position());
    }

    /** The report that a subtask has received the watermark of a generation. */
    private record Reached(long generation) implements OperatorEvent {}

    /** The coordinator, which seeks when a test says so and after each restart of a subtask. */
    static final class Coordinator implements OperatorCoordinator {
        private static final ConcurrentMap<String, Coordinator> RUNNING = new ConcurrentHashMap<>();

        private final Context context;
        private final String run;
        private final int subtasks;
        private final Set<Integer> ready = new HashSet<>();
        private final Set<Integer> reached = new HashSet<>();
        private @Nullable SeekBoard board;
        private long generation;
        private long position;
        private boolean restarted;

        private Coordinator(Context context, String run, int subtasks) {
            this.context = context;
            this.run = run;
            this.subtasks = subtasks;
        }

        /** Returns the coordinator of a run, or null before it has started. */
        static @Nullable Coordinator of(String run) {
            return RUNNING.get(run);
        }

        @Override
        public synchronized void start() {
            board = SeekBoard.open(run);
            generation = board.generation();
            RUNNING.put(run, this);
        }

        /** Seeks and returns the number of the generation. */
        synchronized long seek(long to) {
            generation++;
            position = to;
            reached.clear();
            requireBoard().seek(generation, to);
            Arrivals.of(run).seek(generation);
            return generation;
        }

        void failJob() {
            context.failJob(new IllegalStateException("planned failure of the whole job"));
        }

        synchronized void finish() {
            requireBoard().finish();
        }

        @Override
        public synchronized void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
            if (!(event instanceof Reached report)) {
                throw new IllegalArgumentException("subtask " + subtask + " sent " + event);
            }
            if (report.generation() == generation && reached.add(subtask) && reached.size() == subtasks) {
                Arrivals.of(run).begin(generation, position);
                requireBoard().begin(generation);
            }
        }

        @Override
        public synchronized void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
            ready.add(subtask);
            if (restarted && ready.size() == subtasks) {
                restarted = false;
                long unused = seek(position);
            }
        }

        @Override
        public synchronized void executionAttemptFailed(int subtask, int attempt, @Nullable Throwable reason) {
            ready.remove(subtask);
            restarted = true;
        }

        @Override
        public void subtaskReset(int subtask, long checkpointId) {}

        @Override
        public void resetToCheckpoint(long checkpointId, byte @Nullable [] data) {}

        @Override
        public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> result) {
            result.complete(new byte[0]);
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {}

        @Override
        public synchronized void close() {
            RUNNING.remove(run, this);
            if (board != null) {
                board.close();
            }
        }

        private SeekBoard requireBoard() {
            if (board == null) {
                throw new IllegalStateException("the coordinator has not started");
            }
            return board;
        }
    }

    /** The factory of the sink and its coordinator. */
    static final class Factory extends AbstractStreamOperatorFactory<Void>
            implements OneInputStreamOperatorFactory<Sample, Void>, CoordinatedOperatorFactory<Void> {
        private static final long serialVersionUID = 1;

        private final String run;
        private final int subtasks;

        Factory(String run, int subtasks) {
            this.run = run;
            this.subtasks = subtasks;
        }

        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Flink's signature
        public <T extends StreamOperator<Void>> T createStreamOperator(StreamOperatorParameters<Void> parameters) {
            OperatorID id = parameters.getStreamConfig().getOperatorID();
            return (T) new SeekingSink(
                    parameters, run, parameters.getOperatorEventDispatcher().getOperatorEventGateway(id));
        }

        @Override
        @SuppressWarnings("rawtypes") // Flink's signature
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
            return SeekingSink.class;
        }

        @Override
        public OperatorCoordinator.Provider getCoordinatorProvider(String operatorName, OperatorID id) {
            return new Provider(id, run, subtasks);
        }
    }

    private record Provider(OperatorID id, String run, int subtasks)
            implements OperatorCoordinator.Provider, Serializable {
        @Override
        public OperatorID getOperatorId() {
            return id;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            return new Coordinator(context, run, subtasks);
        }
    }
}
