package io.millrace.dataset.packed;

import io.millrace.order.Order;
import io.millrace.sequence.Packs;
import io.millrace.sequence.RowCost;
import io.millrace.sequence.SequenceCost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The work of a model for the packs of training datasets.
 *
 * <p>Tested by {@code RowArrangementTest}.
 */
public final class PackWork implements RowCost {
    private static final long serialVersionUID = 1;

    private final Map<Integer, PackedSpec> specs;
    private final SequenceCost cost;
    private transient Map<Integer, Packs> packs = new ConcurrentHashMap<>();

    /**
     * Creates the work for some packs.
     *
     * @param specs the packs of each training dataset, by the numbers of the datasets
     * @param cost the work for a pack
     */
    public PackWork(Map<Integer, PackedSpec> specs, SequenceCost cost) {
        this.specs = Map.copyOf(specs);
        this.cost = cost;
    }

    /** @throws UncheckedIOException when the file with the lengths of the documents cannot be read */
    @Override
    public double cost(Order.Pick row) {
        return cost.of(packs.computeIfAbsent(row.source(), this::open).pack(row.round(), row.index()));
    }

    private Packs open(int source) {
        try {
            return Objects.requireNonNull(specs.get(source)).packs();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Object readResolve() {
        return new PackWork(specs, cost);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PackWork work && specs.equals(work.specs) && cost.equals(work.cost);
    }

    @Override
    public int hashCode() {
        return 31 * specs.hashCode() + cost.hashCode();
    }

    @Override
    public String toString() {
        return "PackWork[" + cost + "]";
    }
}
