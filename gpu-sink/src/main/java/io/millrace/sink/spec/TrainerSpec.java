package io.millrace.sink.spec;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.train.spec.TrainSpec;
import java.io.Serializable;
import java.util.List;

/**
 * The training of one trainer, together with all trainers of the run.
 *
 * @param spec the training of this trainer, or of rank 0 in the specification of the whole run
 * @param opener the factory of the training step
 * @param trainers all trainers, with their trainings and their rows of a batch
 */
public record TrainerSpec(TrainSpec spec, TrainStepOpener opener, Trainers trainers) implements Serializable {
    /** Creates the training of a run with one trainer. */
    public static TrainerSpec alone(BatchPlan plan, TrainSpec spec, TrainStepOpener opener) {
        return of(opener, new Trainers(RankRows.single(plan), List.of(spec)));
    }

    /** Creates the training of a run, as rank 0 sees it. */
    public static TrainerSpec of(TrainStepOpener opener, Trainers trainers) {
        return new TrainerSpec(trainers.specs().get(0), opener, trainers);
    }

    /** Returns the same trainers, as a rank sees them. */
    TrainerSpec forRank(int rank) {
        return new TrainerSpec(trainers.specs().get(rank), opener, trainers);
    }
}
