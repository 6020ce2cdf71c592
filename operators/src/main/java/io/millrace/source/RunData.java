package io.millrace.source;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.packed.SequenceSets;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.order.BatchPlan;
import io.millrace.order.Order;
import io.millrace.order.Sources;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a run: its datasets, and the sample at each position.
 *
 * @param train the datasets to train on, in the order of {@code sources}
 * @param sources the sizes of these datasets
 * @param evaluation the evaluation dataset, read in storage order; null exactly when the plan's evaluation size is 0
 * @param order the order of the training samples
 * @param types the settled types of the datasets' fields
 * @param sequences the datasets whose samples are packs of documents, or whose documents are counted while they are read
 */
public record RunData(
        List<DatasetSpec> train,
        Sources sources,
        @Nullable DatasetSpec evaluation,
        BatchPlan plan,
        Order order,
        SettledTypes types,
        SequenceSets sequences)
        implements Serializable {
    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException when plan, order and datasets do not belong together
     */
    public RunData {
        train = List.copyOf(train);
        if (train.size() != sources.count()) {
            throw new IllegalArgumentException(
                    "expected a size for each dataset, found " + sources.count() + " for " + train.size());
        }
        if (order.size() != plan.size()) {
            throw new IllegalArgumentException(
                    "the order has " + order.size() + " samples, but the plan has " + plan.size());
        }
        if ((evaluation == null) != (plan.evaluationSize() == 0)) {
            throw new IllegalArgumentException("the plan has " + plan.evaluationSize()
                    + " evaluation samples, but the evaluation dataset is " + evaluation);
        }
    }

    /** Creates the samples of a run with one training dataset, whose formats declare the types of all fields. */
    public static RunData of(DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan, Order order) {
        return new RunData(
                List.of(train),
                Sources.single(plan.size()),
                evaluation,
                plan,
                order,
                SettledTypes.NONE,
                SequenceSets.NONE);
    }
}
