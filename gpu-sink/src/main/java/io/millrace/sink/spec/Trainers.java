package io.millrace.sink.spec;

import io.millrace.order.RankPlan;
import io.millrace.order.RankRows;
import io.millrace.train.spec.TrainSpec;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;

/**
 * The trainers of a run. Rank r is subtask r of the training operator.
 *
 * @param split the rows of each batch that belong to each rank; with one rank, every trainer gets every row
 * @param specs the training of each rank, by rank; at least one, and one for each rank of {@code split} if that has
 *     several
 */
public record Trainers(RankRows split, List<TrainSpec> specs) implements Serializable {
    public Trainers {
        specs = List.copyOf(specs);
        if (specs.isEmpty() || (split.ranks() > 1 && split.ranks() != specs.size())) {
            throw new IllegalArgumentException(
                    specs.size() + " trainers for batches that are split among " + split.ranks() + " ranks");
        }
    }

    /** Returns the number of trainers. */
    public int count() {
        return specs.size();
    }

    /** Returns a rank's part of the batches. */
    public RankPlan plan(int rank) {
        return new RankPlan(split, split.ranks() == 1 ? 0 : rank);
    }

    /**
     * Returns the folder of a rank's files; rank 0 uses the run's folder itself.
     *
     * @param run the run's folder
     */
    public static Path folder(Path run, int rank) {
        return rank == 0 ? run : run.resolve("rank-" + rank);
    }
}
