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

/** Narrower types on the wire, where a way of the batches limits: the network, or that to the device. */
final class WireRules {
    private static final String TRANSFER = "transfer";
    private static final int BITS_PER_BYTE = 8;

    private WireRules() {}

    /** Bytes that are 0 or 1 take eight times the room of bits. */
    static List<Advice> bits(Situation situation) {
        List<String> sent = sent(situation);
        List<String> narrow = sent.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.ZERO_OR_ONE)
                .filter(field -> isOpen(situation, field))
                .toList();
        if (!limitedByAWay(situation) || narrow.isEmpty()) {
            return List.of();
        }
        return List.of(Advice.set(
                "the bytes of " + String.join(", ", narrow)
                        + " were 0 or 1 in all samples that were looked at: bits are an eighth of them",
                List.of(setting(situation, narrow, WireType.Kind.BITS)),
                carrying(situation, kept(situation, sent, narrow, 1.0 / BITS_PER_BYTE))));
    }

    /** Floats of half the bytes, where training can do with their precision. */
    static List<Advice> halfFloats(Situation situation) {
        List<String> sent = sent(situation);
        List<String> wide = sent.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.FLOAT32)
                .filter(field -> situation.config().batch().wireType(field).equals(WireType.AUTO))
                .toList();
        if (!limitedByAWay(situation) || wide.isEmpty()) {
            return List.of();
        }
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "%s travels as float32; float16 is half of it, with 11 bits of precision: values change a little",
                        String.join(", ", wide)),
                List.of(setting(situation, wide, WireType.Kind.FLOAT16)),
                carrying(situation, kept(situation, sent, wide, 0.5))));
    }

    /** What is not 0, with its place, of tensors that are mostly 0. */
    static List<Advice> sparse(Situation situation) {
        List<String> sent = sent(situation);
        List<String> rare = sent.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.MOSTLY_ZERO)
                .filter(field -> isOpen(situation, field))
                .toList();
        if (!limitedByAWay(situation) || rare.isEmpty()) {
            return List.of();
        }
        String setting = sent.stream()
                .map(field -> field + ": " + (rare.contains(field) ? "sparse" : form(situation, field)))
                .collect(Collectors.joining(", ", "batch.fields={", "}"));
        return List.of(Advice.set(
                String.join(", ", rare)
                        + " was mostly 0 in all samples that were looked at: what is not, with its place, is less",
                List.of(setting),
                carrying(
                        situation,
                        kept(
                                situation,
                                sent,
                                field ->
                                        rare.contains(field) ? situation.facts().sparse(field) : 1))));
    }

    private static String form(Situation situation, String field) {
        return situation.config().batch().fields().stream()
                .filter(named -> named.name().equals(field))
                .findFirst()
                .map(WireField::written)
                .orElse(WireField.AUTO);
    }

    private static boolean limitedByAWay(Situation situation) {
        return situation.limitedBy(Limit.Kind.NETWORK) || situation.limitedBy(Limit.Kind.LINK);
    }

    /** What is sent: what the file names, or else what training uses. */
    private static List<String> sent(Situation situation) {
        List<String> named = situation.config().batch().fields().stream()
                .map(WireField::name)
                .toList();
        return !named.isEmpty()
                ? named
                : situation.facts().fields().stream()
                        .filter(field -> situation.uses(field))
                        .toList();
    }

    /** Whether nothing is said of how the field travels. */
    private static boolean isOpen(Situation situation, String field) {
        return situation.config().batch().wireType(field).equals(WireType.AUTO)
                && situation.config().batch().fields().stream()
                        .noneMatch(named ->
                                named.name().equals(field) && named.form().isPresent());
    }

    /** The types that are asked for, and these. */
    private static String setting(Situation situation, List<String> fields, WireType.Kind kind) {
        Map<String, WireType> types =
                new LinkedHashMap<>(situation.config().batch().wire());
        fields.forEach(field -> types.put(field, WireType.of(kind)));
        return types.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining(", ", "batch.wire={", "}"));
    }

    /** The share of all bytes that is left when these fields have a part of theirs. */
    private static double kept(Situation situation, List<String> sent, List<String> narrowed, double part) {
        return kept(situation, sent, field -> narrowed.contains(field) ? part : 1);
    }

    private static double kept(Situation situation, List<String> sent, ToDoubleFunction<String> part) {
        double all = 0;
        double left = 0;
        for (String field : sent) {
            double bytes = situation.facts().bytes(field);
            all += bytes;
            left += part.applyAsDouble(field) * bytes;
        }
        return all > 0 ? left / all : 1;
    }

    private static UnaryOperator<CapacityModel> carrying(Situation situation, double share) {
        Limit limit = situation.limit().orElseThrow();
        return limit.kind() == Limit.Kind.NETWORK
                ? model -> model.without(limit)
                        .with(new Limit(limit.kind(), limit.culprit(), limit.samplesPerSecond() / share))
                : model -> model.scaled(TRANSFER, share);
    }
}
