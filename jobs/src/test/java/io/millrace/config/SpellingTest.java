package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.option.NearWords;
import io.millrace.option.Option;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SpellingTest {
    private record Edit(int kind, int place, char letter) {
        String apply(String word) {
            int at = word.isEmpty() ? 0 : place % word.length();
            return switch (kind) {
                case 0 -> word.substring(0, at) + letter + word.substring(at);
                case 1 -> word.isEmpty() ? word : word.substring(0, at) + word.substring(at + 1);
                case 2 -> word.isEmpty() ? word : word.substring(0, at) + letter + word.substring(at + 1);
                default ->
                    at + 1 >= word.length()
                            ? word
                            : word.substring(0, at) + word.charAt(at + 1) + word.charAt(at) + word.substring(at + 2);
            };
        }
    }

    private record Slip(List<String> known, String key, String written) {}

    @Provide
    Arbitrary<Slip> slips() {
        Arbitrary<Edit> edits = Combinators.combine(
                        Arbitraries.integers().between(0, 3),
                        Arbitraries.integers().between(0, 100),
                        Arbitraries.chars().range('a', 'z').with('_'))
                .as(Edit::new);
        return Arbitraries.of(SectionKeys.all()).flatMap(section -> {
            List<String> known = Option.keys(section.options());
            return Combinators.combine(Arbitraries.of(known), edits, edits)
                    .as((key, first, second) -> new Slip(known, key, second.apply(first.apply(key))));
        });
    }

    @Property
    void keyWithTwoSlipsIsSuggestedUnlessAnotherIsNearer(@ForAll("slips") Slip slip) {
        Assume.that(!slip.known.contains(slip.written));
        // By the restricted distance, two edits at one place may count as three, but never as more.
        int distance = NearWords.distance(slip.written, slip.key);
        Assume.that(distance <= 2);

        List<String> suggested = NearWords.nearest(slip.written, slip.known);

        assertThat(suggested).isNotEmpty();
        if (!suggested.contains(slip.key)) {
            assertThat(NearWords.distance(slip.written, suggested.get(0))).isLessThan(distance);
        }
    }

    @Property
    void distanceIsSymmetricAndAtMostTheLongerWord(@ForAll("slips") Slip slip, @ForAll("slips") Slip other) {
        int there = NearWords.distance(slip.written, other.written);

        assertThat(there).isEqualTo(NearWords.distance(other.written, slip.written));
        assertThat(there).isLessThanOrEqualTo(Math.max(slip.written.length(), other.written.length()));
    }

    @Example
    void everyKindOfSlipCostsOne() {
        assertThat(NearWords.distance("epocs", "epochs")).isEqualTo(1);
        assertThat(NearWords.distance("eepochs", "epochs")).isEqualTo(1);
        assertThat(NearWords.distance("apochs", "epochs")).isEqualTo(1);
        assertThat(NearWords.distance("epohcs", "epochs")).isEqualTo(1);
        assertThat(NearWords.distance("", "epochs")).isEqualTo(6);
    }

    @Example
    void longWordMayHaveMoreEditsThanShortOne() {
        assertThat(NearWords.nearest("RandomResizdCorpp", List.of("RandomResizedCrop", "Resize")))
                .containsExactly("RandomResizedCrop");
        assertThat(NearWords.nearest("sxxx", List.of("size"))).isEmpty();
    }

    @Example
    void wordsThatAreEquallyNearAreAllSuggested() {
        assertThat(Spelling.hint("reat", List.of("read", "rest", "run"))).isEqualTo("did you mean 'read' or 'rest'?");
    }
}
