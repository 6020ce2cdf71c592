package io.millrace.transform.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.option.OptionValues;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TokenizerNamesTest {
    @Test
    void nameOfAVocabularyIsNoPath() {
        OptionValues named = OptionValues.of(new Tokenize.Factory().options(), Map.of("tokenizer", "cl100k_base"));
        assertThat(named.paths()).isEmpty();
        OptionValues file = OptionValues.of(new Tokenize.Factory().options(), Map.of("tokenizer", "./gpt2"));
        assertThat(file.paths()).containsOnlyKeys("tokenizer");
    }
}
