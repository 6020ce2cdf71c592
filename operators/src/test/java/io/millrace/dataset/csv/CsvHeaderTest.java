package io.millrace.dataset.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvHeaderTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "file,label | ,",
                "file;label;a,b | ;",
                "\"a,b,c\";d | ;",
                "one | ,",
                "a,b;c,d | ,",
            })
    void separatorIsTheMostUsualOneOutsideOfQuotes(String line, char separator) {
        assertThat(CsvHeader.separator(line)).isEqualTo(separator);
    }

    @Test
    void tabsSeparateToo() {
        assertThat(CsvHeader.separator("a\tb\tc, d")).isEqualTo('\t');
    }

    @Test
    void namesThatOccurTwiceOrAreMissingAreUnclear() {
        assertThat(new CsvHeader(List.of("a", "b", "a", "", "c", "")).unclear()).containsExactly("a", "");
        assertThat(new CsvHeader(List.of("a", "b")).unclear()).isEmpty();
    }

    @Test
    void labelsAreFoundByUsualNamesWhateverTheirCaseAndSeparators() {
        assertThat(new CsvHeader(List.of("Image Id", "Class_Name", "TARGET", "label smoothing")).labels())
                .containsExactly("TARGET", "Class_Name");
    }
}
