package io.millrace.dataset.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests whose expected values are the output of bash's {@code echo}. */
class BracesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.tar | a.tar",
                "s-{000..003}.tar | s-000.tar s-001.tar s-002.tar s-003.tar",
                "s-{8..11} | s-8 s-9 s-10 s-11",
                "s-{08..11} | s-08 s-09 s-10 s-11",
                "s-{3..1} | s-3 s-2 s-1",
                "s-{-1..1} | s--1 s-0 s-1",
                "{a,b} | a b",
                "{a,}x | ax x",
                "{a,b}/{0..1} | a/0 a/1 b/0 b/1",
                "{a,b{1,2}}c | ac b1c b2c",
                "{x}{a,b} | {x}a {x}b",
                "{{a,b}} | {a} {b}",
                "{a | {a",
                "a}{b,c} | a}b a}c",
                "{1..a} | {1..a}",
                "{..} | {..}",
            })
    void expandsAsAShellDoes(String path, String expected) {
        assertThat(Braces.expand(path)).isEqualTo(List.of(expected.split(" ")));
    }

    @Test
    void tooManyPathsAreRefusedBeforeTheyAreExpanded() {
        assertThatThrownBy(() -> Braces.expand("{0..999999999}"))
                .hasMessage("expected braces for up to 1048576 paths, found more");
        assertThatThrownBy(() -> Braces.expand("{0..9999}".repeat(5)))
                .hasMessage("expected braces for up to 1048576 paths, found more");
        assertThatThrownBy(() -> Braces.expand("{a,".repeat(100)))
                .hasMessage("expected up to 64 pairs of braces in a path, found more");
    }
}
