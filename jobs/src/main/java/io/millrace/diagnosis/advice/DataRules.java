package io.millrace.diagnosis.advice;

import io.millrace.config.WireField;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.StageCost;
import java.util.List;
import java.util.Locale;

/** Fewer bytes and fewer files. */
final class DataRules {
    private static final String READ = "read";

    /** Below it a file's opening costs more than its bytes. */
    private static final double SMALL_BYTES = 1 << 20;

    private DataRules() {}

    /** What is sent and not used. */
    static List<Advice> unusedFields(Situation situation) {
        List<WireField> sent = situation.config().batch().fields();
        List<String> unused = sent.stream()
                .map(WireField::name)
                .filter(field -> !situation.uses(field))
                .toList();
        if (unused.isEmpty()) {
            return List.of();
        }
        // By their number, as their bytes are not known here: a mask is as large as an image.
        double left = (double) (sent.size() - unused.size()) / sent.size();
        List<String> kept = sent.stream()
                .filter(field -> situation.uses(field.name()))
                .map(field -> field.name() + ": " + field.written())
                .toList();
        String setting = kept.isEmpty() ? "batch.fields=null" : "batch.fields={" + String.join(", ", kept) + "}";
        return List.of(Advice.set(
                "training does not use " + String.join(", ", unused) + ", which is packed and sent all the same",
                List.of(setting),
                model -> model.scaled("pack", left).scaled(CapacityModel.ASSEMBLE, left)));
    }

    /** Small files in shards are read one after another. */
    static List<Advice> shards(Situation situation) {
        StageCost read = situation.cost(READ).orElse(null);
        boolean small = situation.facts().storedBytes() < SMALL_BYTES;
        boolean files = situation.config().data().dataset().spec().filePerSample();
        Double own = read == null ? null : read.ownSeconds();
        Double cpu = read == null ? null : read.cpuSeconds();
        if (!situation.culprit(READ) || !files || !small || own == null || cpu == null || !(own > 0)) {
            return List.of();
        }
        double kept = Math.min(1, cpu / own);
        return List.of(Advice.act(
                String.format(
                        Locale.ROOT,
                        "reading takes most time, with files of %,.0f bytes: opening each costs more than its bytes",
                        situation.facts().storedBytes()),
                "put them into shards with ./millrace pack, and train on these",
                model -> model.scaled(READ, kept)));
    }
}
