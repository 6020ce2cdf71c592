package io.millrace.dataset.packed;

import io.millrace.dataset.DatasetException;
import io.millrace.order.Sources;
import io.millrace.sample.Counted;
import io.millrace.sequence.EndlessPacks;
import io.millrace.sequence.GrowingPlan;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.PackWindows;
import io.millrace.sequence.Packs;
import io.millrace.sequence.PlannedPacks;
import io.millrace.sequence.Slice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The packs of a dataset whose documents are counted while it is read. A window's packs are known as soon as all documents up to its last one
 * are counted.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 */
final class GrowingPacks extends GrowingCount implements Packs {
    private final GrowingSpec packing;
    private final GrowingPlan plan;
    private final PackWindows packs;
    private @Nullable EndlessPacks complete;

    GrowingPacks(GrowingSpec spec, LengthsFile lengths) {
        super(spec, lengths);
        packing = spec;
        plan = new GrowingPlan(spec.count().order(), spec.rule(), lengths, windows());
        packs = new PackWindows(spec.count().order(), spec.rule(), lengths);
    }

    @Override
    public long documents() {
        return lengths().size();
    }

    @Override
    public long size() {
        return Sources.ENDLESS;
    }

    @Override
    public boolean await(long number, long nanos) throws IOException {
        return number < plan.packs() // nearly always: threads count ahead
                || await(String.format(Locale.ROOT, "sequence %,d", number), () -> number < plan.packs(), nanos);
    }

    @Override
    String soFar() {
        return ", in " + Counted.of(plan.packs(), "sequence");
    }

    @Override
    void grow() throws IOException {
        super.grow();
        plan.extend();
        String dataset = spec().counts().dataset();
        if (plan.totals().empty() > packing.mostBad()) {
            throw new DatasetException(String.format(
                    Locale.ROOT,
                    "more than %,d of %,d documents of %s are bad, which is all that batch.max_quarantined allows: %s",
                    packing.mostBad(),
                    documents(),
                    dataset,
                    BadDocuments.describe(badDocuments())));
        }
        if (plan.isComplete() && plan.packs() == 0) {
            throw new DatasetException(BadDocuments.all(dataset, documents(), badDocuments()));
        }
    }

    private Path badDocuments() {
        return Path.of(spec().counter().badDocuments());
    }

    @Override
    public List<Slice> pack(int round, long number) throws IOException {
        await(number, Long.MAX_VALUE);
        if (number >= plan.packs()) {
            return complete().pack(round, number);
        }
        var place = plan.place(number);
        ask(place.window());
        return packs.slices(place);
    }

    @Override
    public PlannedPacks planned() throws IOException {
        await("the end", () -> false, Long.MAX_VALUE);
        return complete().planned();
    }

    private synchronized EndlessPacks complete() {
        if (complete == null) {
            complete = new EndlessPacks(new PlannedPacks(plan.plan(), lengths()));
        }
        return complete;
    }
}
