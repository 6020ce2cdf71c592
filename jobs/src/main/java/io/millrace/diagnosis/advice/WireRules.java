package io.millrace.diagnosis.advice;

import io.millrace.config.WireField;
import io.millrace.config.WireType;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The rules that propose narrower wire types when the network or the link to the device is the limit.
 *
 * <p>Tested by {@code AdvisorTest}.
 */
final class WireRules {
    private static final String TRANSFER = "transfer";
    private static final int BITS_PER_BYTE = 8;

    private WireRules() {}

    /** Proposes bits for bytes that are 0 or 1; they have an eighth of the size. */
    static List<Advice> bits(Situation situation) {
        List<String> fields = fields(situation);
        List<String> narrow = fields.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.ZERO_OR_ONE)
                .filter(field -> isOpen(situation, field))
                .toList();
        if (!limitedByTransport(situation) || narrow.isEmpty()) {
            return List.of();
        }
        return List.of(Advice.set(
                "the bytes of " + String.join(", ", narrow)
                        + " were 0 or 1 in all examined samples: as bits they have an eighth of the size",
                List.of(setting(situation, narrow, WireType.Kind.BITS)),
                transporting(situation, kept(situation, fields, narrow, 1.0 / BITS_PER_BYTE))));
    }

    /** Proposes 16-bit floats, which have half the size and less precision. */
    static List<Advice> halfFloats(Situation situation) {
        List<String> fields = fields(situation);
        List<String> wide = fields.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.FLOAT32)
                .filter(field -> situation.config().batch().wireType(field).equals(WireType.AUTO))
                .toList();
        if (!limitedByTransport(situation) || wide.isEmpty()) {
            return List.of();
        }
        return List.of(Advice.set(
                        String.format(
                                Locale.ROOT,
                                "%s is sent as float32; float16 has half the size and 11 bits of precision: values change a little",
                                String.join(", ", wide)),
                        List.of(setting(situation, wide, WireType.Kind.FLOAT16)),
                        transporting(situation, kept(situation, fields, wide, 0.5)))
                .changingValues());
    }

    /** Proposes the sparse form for tensors that are mostly 0. */
    static List<Advice> sparse(Situation situation) {
        List<String> fields = fields(situation);
        List<String> rare = fields.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.MOSTLY_ZERO)
                .filter(field -> isOpen(situation, field))
                .toList();
        if (!limitedByTransport(situation) || rare.isEmpty()) {
            return List.of();
        }
        Map<String, String> forms = new LinkedHashMap<>();
        situation
                .config()
                .batch()
                .forms()
                .forEach((field, form) -> forms.put(field, form.name().toLowerCase(Locale.ROOT)));
        rare.forEach(field -> forms.put(field, "sparse"));
        String setting = forms.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining(", ", "batch.forms={", "}"));
        return List.of(Advice.set(
                String.join(", ", rare)
                        + " was mostly 0 in all examined samples: the other values and their indexes are smaller",
                List.of(setting),
                transporting(
                        situation,
                        kept(
                                situation,
                                fields,
                                field ->
                                        rare.contains(field) ? situation.facts().sparse(field) : 1))));
    }

    private static boolean limitedByTransport(Situation situation) {
        return situation.limitedBy(Limit.Kind.NETWORK) || situation.limitedBy(Limit.Kind.LINK);
    }

    /** Returns the fields that are sent: those of the pipeline file, or those that training uses when the file names none. */
    private static List<String> fields(Situation situation) {
        if (situation.config().batch().fields().equals(WireField.ALL)) {
            return List.copyOf(situation.facts().fields());
        }
        List<String> named = situation.config().batch().fields().stream()
                .map(WireField::name)
                .toList();
        return !named.isEmpty()
                ? named
                : situation.facts().fields().stream()
                        .filter(field -> situation.uses(field))
                        .toList();
    }

    /** Returns whether the pipeline file sets neither a wire type nor a form for the field. */
    private static boolean isOpen(Situation situation, String field) {
        return situation.config().batch().wireType(field).equals(WireType.AUTO)
                && !situation.config().batch().forms().containsKey(field)
                && situation.config().batch().fields().stream()
                        .noneMatch(named ->
                                named.name().equals(field) && named.form().isPresent());
    }

    /** Returns the setting with the wire types of the pipeline file, and {@code kind} for the fields. */
    private static String setting(Situation situation, List<String> fields, WireType.Kind kind) {
        Map<String, WireType> types =
                new LinkedHashMap<>(situation.config().batch().wire());
        fields.forEach(field -> types.put(field, WireType.of(kind)));
        return types.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining(", ", "batch.wire={", "}"));
    }

    /** Returns the share of all bytes that remains when some fields shrink to {@code part} of their size. */
    private static double kept(Situation situation, List<String> fields, List<String> narrowed, double part) {
        return kept(situation, fields, field -> narrowed.contains(field) ? part : 1);
    }

    private static double kept(Situation situation, List<String> fields, ToDoubleFunction<String> part) {
        double all = 0;
        double left = 0;
        for (String field : fields) {
            double bytes = situation.facts().bytes(field);
            all += bytes;
            left += part.applyAsDouble(field) * bytes;
        }
        return all > 0 ? left / all : 1;
    }

    private static UnaryOperator<CapacityModel> transporting(Situation situation, double share) {
        Limit limit = situation.limit().orElseThrow();
        return limit.kind() == Limit.Kind.NETWORK
                ? model -> model.without(limit)
                        .with(new Limit(limit.kind(), limit.culprit(), limit.samplesPerSecond() / share))
                : model -> model.scaled(TRANSFER, share);
    }
}
