package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonCountsTest {
    private final ReasonCounts counts = new ReasonCounts();

    @Test
    void equalReasonsAreOneLine() {
        counts.add("the file is empty", "x.jpg");
        counts.add("the data ends early", "a.jpg");
        counts.add("the data ends early", "b.jpg");
        assertThat(counts.lines(10))
                .containsExactly(
                        "2 samples: the data ends early (first: a.jpg)", "1 sample: the file is empty (x.jpg)");
        assertThat(counts.lines(1))
                .containsExactly("2 samples: the data ends early (first: a.jpg)", "1 with other reasons");
    }

    @Test
    void manyDifferentReasonsAreCountedTogether() {
        for (int i = 0; i < 5000; i++) {
            counts.add("found " + i, i + ".jpg");
        }
        assertThat(counts.lines(2))
                .containsExactly("1 sample: found 0 (0.jpg)", "1 sample: found 1 (1.jpg)", "4,998 with other reasons");
    }

    @Test
    void noBadSampleMeansNoLine() {
        assertThat(counts.lines(3)).isEmpty();
    }
}
