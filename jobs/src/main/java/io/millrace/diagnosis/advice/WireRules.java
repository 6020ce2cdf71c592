package io.millrace.diagnosis.advice;

import io.millrace.config.SentField;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
                .filter(field -> form(situation, field).equals(SentField.AUTO))
                .toList();
        if (!limitedByAWay(situation) || narrow.isEmpty()) {
            return List.of();
        }
        Map<String, String> forms = new LinkedHashMap<>();
        sent.forEach(field -> forms.put(field, narrow.contains(field) ? "bits" : form(situation, field)));
        String setting = forms.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining(", ", "batch.fields={", "}"));
        return List.of(Advice.set(
                "the bytes of " + String.join(", ", narrow)
                        + " were 0 or 1 in all samples that were looked at: bits are an eighth of them",
                List.of(setting),
                carrying(situation, kept(situation, sent, narrow, 1.0 / BITS_PER_BYTE))));
    }

    /** Floats of half the bytes, where training can do with their precision. */
    static List<Advice> halfFloats(Situation situation) {
        List<String> sent = sent(situation);
        List<String> wide = sent.stream()
                .filter(field -> situation.facts().kind(field) == DatasetFacts.Kind.FLOAT32)
                .toList();
        if (!limitedByAWay(situation) || wide.isEmpty()) {
            return List.of();
        }
        List<TransformSpec> transforms = new ArrayList<>(situation.config().transforms());
        wide.forEach(field -> transforms.add(TransformSpec.of("Cast", Map.of("field", field, "dtype", "float16"))));
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "%s travels as float32; float16 is half of it, with 11 bits of precision: values change a little",
                        String.join(", ", wide)),
                List.of(TransformList.setting(transforms)),
                carrying(situation, kept(situation, sent, wide, 0.5))));
    }

    private static boolean limitedByAWay(Situation situation) {
        return situation.limitedBy(Limit.Kind.NETWORK) || situation.limitedBy(Limit.Kind.LINK);
    }

    /** What is sent: what the file names, or else what training uses. */
    private static List<String> sent(Situation situation) {
        List<String> named = situation.config().batch().fields().stream()
                .map(SentField::name)
                .toList();
        return !named.isEmpty()
                ? named
                : situation.facts().fields().stream()
                        .filter(field -> situation.uses(field))
                        .toList();
    }

    private static String form(Situation situation, String field) {
        return situation.config().batch().fields().stream()
                .filter(named -> named.name().equals(field))
                .findFirst()
                .map(SentField::written)
                .orElse(SentField.AUTO);
    }

    /** The share of all bytes that is left when these fields have a part of theirs. */
    private static double kept(Situation situation, List<String> sent, List<String> narrowed, double part) {
        double all = 0;
        double left = 0;
        for (String field : sent) {
            double bytes = situation.facts().bytes(field);
            all += bytes;
            left += narrowed.contains(field) ? part * bytes : bytes;
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
