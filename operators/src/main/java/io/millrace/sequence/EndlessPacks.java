package io.millrace.sequence;

import io.millrace.order.Sources;
import java.util.List;

/**
 * The packs of a dataset that is gone through again and again, numbered over all rounds, so that nobody needs to know where a round ends.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 */
public record EndlessPacks(PlannedPacks planned) implements Packs {
    @Override
    public long documents() {
        return planned.documents();
    }

    @Override
    public long size() {
        return Sources.ENDLESS;
    }

    @Override
    public List<Slice> pack(int round, long number) {
        return planned.pack(Math.toIntExact(number / planned.size()), number % planned.size());
    }
}
