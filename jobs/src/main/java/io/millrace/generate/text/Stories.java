package io.millrace.generate.text;

import io.millrace.generate.GeneratorRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A grammar of short stories. A story is a sequence of sentences about one hero, so that what comes next depends on what came
 * before. Stateless.
 */
final class Stories {
    /** A rule within a text, for example "{place}". */
    private static final Pattern RULE = Pattern.compile("\\{([a-z]+)}");

    /** The rules that are drawn once for a story, and stay the same in all of its sentences. */
    private static final List<String> OF_A_STORY = List.of("hero", "friend", "place", "thing");

    private static final Map<String, List<String>> RULES = Map.ofEntries(
            Map.entry("hero", List.of("the {size} {animal}", "the {size} {animal}", "{name}", "old {name}")),
            Map.entry("friend", List.of("{name}", "the {animal}", "the {colour} {animal}")),
            Map.entry("name", List.of("Anna", "Tom", "Zoë", "José", "Mia", "Søren", "Olga")),
            Map.entry("animal", List.of("fox", "bear", "mouse", "owl", "dog", "hedgehog", "rabbit", "duck")),
            Map.entry("size", List.of("small", "big", "young", "tired", "clever")),
            Map.entry("colour", List.of("red", "blue", "green", "white", "golden")),
            Map.entry("thing", List.of("{colour} {object}", "{colour} {object}", "heavy {object}")),
            Map.entry("object", List.of("ball", "stone", "boat", "lamp", "key", "hat", "book")),
            Map.entry(
                    "place",
                    List.of("near the river", "in the forest", "behind the mill", "on the hill", "at the market")),
            Map.entry("time", List.of("in the morning", "at noon", "in the evening", "at night", "when it rains")),
            Map.entry("move", List.of("walks", "runs", "goes", "comes", "hurries")),
            Map.entry("find", List.of("finds", "sees", "wants", "looks for", "carries")),
            Map.entry("number", List.of("two", "three", "four", "7", "12", "40")),
            Map.entry(
                    "sentence",
                    List.of(
                            "{hero} lives {place}.",
                            "{time}, {hero} {find} the {thing}.",
                            "{time}, {hero} {move} home.",
                            "{hero} {find} the {thing} {place}.",
                            "{hero} asks {friend}: \"Where is the {thing}?\"",
                            "{friend} says: \"It is {place}.\"",
                            "{hero} waits {number} days for {friend}.",
                            "{friend} and {hero} are friends.",
                            "but the {thing} is not {place}.")));

    private Stories() {}

    /**
     * Returns a story.
     *
     * @param characters the number of characters at which the story ends with the current sentence, at least 1
     */
    static String draw(GeneratorRandom random, int characters) {
        List<Map.Entry<String, String>> known = new ArrayList<>();
        OF_A_STORY.forEach(rule -> known.add(Map.entry(rule, expanded("{" + rule + "}", List.of(), random))));
        StringBuilder story = new StringBuilder();
        while (story.length() < characters) {
            if (!story.isEmpty()) {
                story.append(random.chance(0.15) ? '\n' : ' ');
            }
            String sentence = expanded("{sentence}", known, random);
            story.append(Character.toUpperCase(sentence.charAt(0))).append(sentence, 1, sentence.length());
        }
        return story.toString();
    }

    /** Returns a text in which each rule is replaced: by its known value, or by one of its texts. */
    private static String expanded(String text, List<Map.Entry<String, String>> known, GeneratorRandom random) {
        Matcher rules = RULE.matcher(text);
        StringBuilder result = new StringBuilder();
        int copied = 0;
        while (rules.find()) {
            String rule = rules.group(1);
            result.append(text, copied, rules.start());
            result.append(known.stream()
                    .filter(entry -> entry.getKey().equals(rule))
                    .findFirst()
                    .map(Map.Entry::getValue)
                    .orElseGet(() -> expanded(chosen(rule, random), known, random)));
            copied = rules.end();
        }
        return result.append(text, copied, text.length()).toString();
    }

    private static String chosen(String rule, GeneratorRandom random) {
        List<String> texts = RULES.getOrDefault(rule, List.of());
        return texts.get(random.below(texts.size()));
    }
}
