package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.WorkBalance;
import io.millrace.dataset.packed.PackWork;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.dataset.packed.PlannedSpec;
import io.millrace.order.Order;
import io.millrace.sample.Counted;
import io.millrace.sequence.ArrangedOrder;
import io.millrace.sequence.BalancedRows;
import io.millrace.sequence.SequenceCost;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The arrangement of the packed sequences of each batch in which ranks have equal work.
 *
 * <p>Tested by {@code RowArrangementTest}.
 *
 * @param rows the number of rows of a batch of all ranks
 * @param packs the packs of each training dataset, by the numbers of the datasets
 */
record RowBalance(WorkBalance balance, int rows, Map<Integer, PackedSpec> packs) implements RowArrangement {
    /** Returns the arrangement as {@link RowArrangement#of} does. */
    static RowBalance of(WorkBalance balance, List<PipelineConfig> configs, int rows, Map<Integer, PackedSpec> packs)
            throws PipelineException {
        for (int source = 0; source < configs.size(); source++) {
            if (!packs.containsKey(source)) {
                throw new PipelineException("order.balance_work: expected the transform pack_sequences for "
                        + configs.get(source).data().dataset().spec().path()
                        + ", found none; bucket is for documents that are not packed");
            }
        }
        return new RowBalance(balance, rows, packs);
    }

    @Override
    public Order arrange(Order order, List<String> remarks) {
        PackWork work = new PackWork(packs, new SequenceCost(1, balance.attention()));
        BalancedRows balanced = balanced(work);
        Order arranged = new ArrangedOrder(order, rows, balanced);
        long full = Math.min(order.size(), SAMPLE) / rows;
        if (full > 0 && packs.values().stream().allMatch(PlannedSpec.class::isInstance)) {
            double before = 0;
            double after = 0;
            for (long batch = 0; batch < full; batch++) {
                before += balanced.slowest(costs(order, work, batch * rows));
                after += balanced.slowest(costs(arranged, work, batch * rows));
            }
            remarks.add(String.format(
                    Locale.ROOT,
                    "order.balance_work: the slowest of %s has %.3f times the work of the mean one, %.3f times without it",
                    Counted.of(balance.ranks(), "rank"),
                    after / full,
                    before / full));
        }
        return arranged;
    }

    private BalancedRows balanced(PackWork work) {
        try {
            return new BalancedRows(balance.ranks(), balance.microBatches(), rows, work);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("order.balance_work: " + e.getMessage(), e);
        }
    }

    private double[] costs(Order order, PackWork work, long first) {
        double[] costs = new double[rows];
        for (int row = 0; row < rows; row++) {
            costs[row] = work.cost(order.at(0, first + row));
        }
        return costs;
    }
}
