package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CodeProfileTest {
    private static CodeLine line(String file, int line, long samples) {
        return new CodeLine(file, line, "noise", "image += 1", samples);
    }

    @Test
    void linesOfAllSlotsAreAddedAndSorted() {
        CodeProfile one =
                CodeProfile.of("augment:noise").plus(List.of(line("augment.py", 3, 5), line("augment.py", 4, 7)));
        CodeProfile other = CodeProfile.of("augment:noise").plus(List.of(line("augment.py", 3, 9)));

        CodeProfile whole = CodeProfile.whole(List.of(one, other)).orElseThrow();

        assertThat(whole.samples()).isEqualTo(21);
        assertThat(whole.lines()).containsExactly(line("augment.py", 3, 14), line("augment.py", 4, 7));
        assertThat(whole.share(whole.lines().get(1))).isEqualTo(1.0 / 3);
        assertThat(CodeProfile.whole(List.of())).isEmpty();
    }

    @Test
    void rareLinesAreLeftOutButCounted() {
        List<CodeLine> lines = new ArrayList<>();
        for (int i = 1; i <= 200; i++) {
            lines.add(line("augment.py", i, i));
        }

        CodeProfile profile = CodeProfile.of("augment:noise").plus(lines);

        assertThat(profile.lines()).hasSize(50).first().isEqualTo(line("augment.py", 200, 200));
        assertThat(profile.shown()).hasSize(10);
        assertThat(profile.samples()).isEqualTo(20_100);
        assertThat(profile.text().length())
                .as("Flink sends at most 65,535 bytes")
                .isLessThan(30_000);
    }

    @Test
    void metricIsReadAsItWasWritten() {
        CodeProfile profile = CodeProfile.of("augment:noise").plus(List.of(line("\u00e4 \"b\".py", 3, 5)));

        assertThat(CodeProfile.parse(profile.text())).contains(profile);
        assertThat(CodeProfile.parse("no profile")).isEmpty();
        assertThat(CodeProfile.parse("")).isEmpty();
        assertThat(CodeProfile.parse("{}")).isEmpty();
    }

    @Test
    void costliestLineIsNamedWithItsFileUnlessItIsTheModule() {
        assertThat(costliest("augment:noise", "augment.py")).isEqualTo("line 31");
        assertThat(costliest("my.augment:Crop.apply", "my/augment.py")).isEqualTo("line 31");
        assertThat(costliest("augment:noise", "augment/__init__.py")).isEqualTo("line 31");
        assertThat(costliest("augment:noise", "helpers.py")).isEqualTo("helpers.py line 31");
    }

    private static String costliest(String call, String file) {
        return CodeProfile.of(call)
                .plus(List.of(line(file, 31, 20), line("other.py", 1, 3)))
                .costliestLine()
                .orElseThrow();
    }

    @Test
    void lineIsUnknownAfterFewSamplesAndOutsideOfPython() {
        CodeProfile profile = CodeProfile.of("augment:noise");

        assertThat(profile.costliestLine()).isEmpty();
        assertThat(profile.plus(List.of(line("augment.py", 3, 9))).costliestLine())
                .isEmpty();
        assertThat(profile.plus(List.of(line("", 0, 20))).costliestLine()).isEmpty();
    }

    @Test
    void theTimeOfTheDatasetsOfAMixtureIsThatOfAllSlots() {
        CodeProfile one = CodeProfile.ofDatasets(Map.of("web", 30L, "code", 50L));
        CodeProfile other = CodeProfile.ofDatasets(Map.of("web", 10L, "code", 70L));

        CodeProfile whole = CodeProfile.whole(List.of(one, other)).orElseThrow();

        assertThat(whole.describesDatasets()).isTrue();
        assertThat(whole.costliestLine()).contains("code 75 % of the time");
        assertThat(whole.limit()).isEqualTo(Map.of("dataset", "code", "share", 0.75));
        assertThat(whole.json())
                .isEqualTo(Map.of(
                        "datasets",
                        List.of(Map.of("dataset", "code", "share", 0.75), Map.of("dataset", "web", "share", 0.25))));
        assertThat(CodeProfile.parse(whole.text())).contains(whole);
        assertThat(CodeProfile.ofDatasets(Map.of("web", 3L)).costliestLine())
                .as("a few milliseconds")
                .isEmpty();
    }
}
