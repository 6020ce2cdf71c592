package io.millrace.sink;

import io.millrace.order.RankPlan;
import io.millrace.order.RankRows;
import io.millrace.train.spec.TrainSpec;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;

/**
 * The trainers of a run. Rank r is subtask r of the training operator.
 *
 * @param split which rows of each batch are whose; when its ranks are 1, every trainer gets every row
 * @param specs what each trains, by rank; at least one, and as many as the split has ranks when these are several
 */
public record Trainers(RankRows split, List<TrainSpec> specs) implements Serializable {
    public Trainers {
        specs = List.copyOf(specs);
        if (specs.isEmpty() || (split.ranks() > 1 && split.ranks() != specs.size())) {
            throw new IllegalArgumentException(
                    specs.size() + " trainers for batches that are split among " + split.ranks());
        }
    }

    /** How many there are. */
    public int count() {
        return specs.size();
    }

    /** The batches as a rank sees them. */
    RankPlan plan(int rank) {
        return new RankPlan(split, split.ranks() == 1 ? 0 : rank);
    }

    /**
     * Where a rank's files belong: those of rank 0 into the run's folder itself.
     *
     * @param run the run's folder
     */
    public static Path folder(Path run, int rank) {
        return rank == 0 ? run : run.resolve("rank-" + rank);
    }
}
