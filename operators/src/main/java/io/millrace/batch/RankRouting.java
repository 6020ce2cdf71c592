package io.millrace.batch;

import io.millrace.order.RankRows;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;

/** The way of micro-batches to the trainer that owns their rows; a packer sees to it that all rows of one have one owner. */
public final class RankRouting {
    private RankRouting() {}

    /** The rank of a micro-batch. */
    public static KeySelector<MicroBatch, Integer> rank(RankRows split) {
        return new Rank(split);
    }

    /** Sends a rank's micro-batches to the subtask of its number. */
    public static Partitioner<Integer> toSubtask() {
        return new ToSubtask();
    }

    private record Rank(RankRows split) implements KeySelector<MicroBatch, Integer> {
        @Override
        public Integer getKey(MicroBatch microBatch) {
            return split.rank(microBatch.position(0));
        }
    }

    private record ToSubtask() implements Partitioner<Integer> {
        @Override
        public int partition(Integer rank, int subtasks) {
            if (rank >= subtasks) {
                throw new IllegalStateException("rows for rank " + rank + ", but there are only " + subtasks
                        + " trainers: the training operator was given fewer slots than ranks");
            }
            return rank;
        }
    }
}
