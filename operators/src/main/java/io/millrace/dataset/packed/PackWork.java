package io.millrace.dataset.packed;

import io.millrace.order.Order;
import io.millrace.sequence.Packs;
import io.millrace.sequence.RowCost;
import io.millrace.sequence.SequenceCost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The work of a model for the packs of training datasets.
 *
 * <p>Tested by {@code RowArrangementTest}.
 */
public record PackWork(Opened<Packs> packs, SequenceCost cost) implements RowCost {
    /**
     * Creates the work for some packs.
     *
     * @param specs the packs of each training dataset, by the numbers of the datasets
     * @param cost the work for a pack
     */
    public PackWork(Map<Integer, PackedSpec> specs, SequenceCost cost) {
        this(new Opened<>(specs), cost);
    }

    @Override
    public boolean await(Order.Pick[] rows, long nanos) throws IOException {
        Map<Integer, Order.Pick> last = new HashMap<>(); // the packs before it are known, too
        for (Order.Pick row : rows) {
            last.merge(row.source(), row, (one, other) -> one.index() > other.index() ? one : other);
        }
        for (Order.Pick row : last.values()) {
            if (!packs.of(row).await(row.index(), nanos)) {
                return false;
            }
        }
        return true;
    }

    /** @throws UncheckedIOException when the file with the lengths of the documents cannot be read */
    @Override
    public double cost(Order.Pick row) {
        try {
            Opened.await(nanos -> packs.of(row).await(row.index(), nanos));
            return cost.of(packs.of(row).pack(row.round(), row.index()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
