package io.millrace.batch;

import io.millrace.order.RankRows;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * The routing of micro-batches to the trainers that own their rows. A packer puts only rows of one owner into a
 * micro-batch.
 */
public final class RankRouting {
    private RankRouting() {}

    /** Returns a selector of the rank of a micro-batch. */
    public static KeySelector<MicroBatch, Integer> rank(RankRows rankRows) {
        return new Rank(rankRows);
    }

    /** Returns a partitioner that routes the micro-batches of a rank to the subtask of its number. */
    public static Partitioner<Integer> toSubtask() {
        return new ToSubtask();
    }

    private record Rank(RankRows rankRows) implements KeySelector<MicroBatch, Integer> {
        @Override
        public Integer getKey(MicroBatch microBatch) {
            return rankRows.rank(microBatch.position(0));
        }
    }

    private record ToSubtask() implements Partitioner<Integer> {
        @Override
        public int partition(Integer rank, int subtasks) {
            if (rank >= subtasks) {
                throw new IllegalStateException("rows for rank " + rank + " arrived, but there are only " + subtasks
                        + " trainers: the training operator has fewer slots than ranks");
            }
            return rank;
        }
    }
}
