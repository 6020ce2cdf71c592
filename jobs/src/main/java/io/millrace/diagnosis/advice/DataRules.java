package io.millrace.diagnosis.advice;

import io.millrace.config.WireField;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.StageCost;
import java.util.List;
import java.util.Locale;

/** The rules that reduce the number of bytes and files. */
final class DataRules {
    private static final String READ = "read";

    /** The size of a file in bytes below which opening it costs more than reading it. */
    private static final double SMALL_BYTES = 1 << 20;

    private DataRules() {}

    /** Proposes to leave out fields that are named and not used. What clients use of all fields is not known. */
    static List<Advice> unusedFields(Situation situation) {
        List<WireField> fields = situation.config().batch().fields();
        List<String> unused = fields.stream()
                .map(WireField::name)
                .filter(field -> !situation.uses(field))
                .toList();
        if (unused.isEmpty() || fields.equals(WireField.ALL)) {
            return List.of();
        }
        // The share is that of the number of fields, because their sizes are unknown here. A mask is as large as an
        // image.
        double left = (double) (fields.size() - unused.size()) / fields.size();
        List<String> kept = fields.stream()
                .filter(field -> situation.uses(field.name()))
                .map(field -> field.name() + ": " + field.written())
                .toList();
        String setting = kept.isEmpty() ? "batch.fields=null" : "batch.fields={" + String.join(", ", kept) + "}";
        return List.of(Advice.set(
                "training does not use " + String.join(", ", unused) + ", but it is packed and sent",
                List.of(setting),
                model -> model.scaled("pack", left).scaled(CapacityModel.ASSEMBLE, left)));
    }

    /** Proposes to put small files into shards, which are read in sequence. */
    static List<Advice> shards(Situation situation) {
        StageCost read = situation.cost(READ).orElse(null);
        boolean small = situation.facts().storedBytes() < SMALL_BYTES;
        boolean files = situation.config().data().sources().stream()
                .allMatch(source -> source.dataset().spec().filePerSample());
        Double own = read == null ? null : read.ownSeconds();
        Double cpu = read == null ? null : read.cpuSeconds();
        if (!situation.culprit(READ) || !files || !small || own == null || cpu == null || !(own > 0)) {
            return List.of();
        }
        double kept = Math.min(1, cpu / own);
        return List.of(Advice.act(
                String.format(
                        Locale.ROOT,
                        "reading is the limit, with files of %,.0f bytes: opening such a file takes longer than reading it",
                        situation.facts().storedBytes()),
                "put the files into shards with ./millrace pack, and train on the shards",
                model -> model.scaled(READ, kept)));
    }
}
