package io.millrace.generate.text;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The files of a tokenizer whose tokens are the bytes of UTF-8, and the end of a text: 257 tokens. They have the form of Hugging
 * Face's {@code tokenizers}, a byte-level BPE without merges. The id of a byte is its value, and the end is 256.
 */
final class ByteTokenizer {
    /** The content of {@code tokenizer_config.json}. */
    static final String CONFIG = """
            {"tokenizer_class":"PreTrainedTokenizerFast","bos_token":"<|endoftext|>","eos_token":"<|endoftext|>"}
            """;

    private static final int BYTES = 256;

    private ByteTokenizer() {}

    /** Returns the content of {@code tokenizer.json}. */
    static String json() {
        return """
                {"version":"1.0","truncation":null,"padding":null,
                "added_tokens":[{"id":256,"content":"<|endoftext|>","single_word":false,"lstrip":false,"rstrip":false,\
                "normalized":false,"special":true}],
                "normalizer":null,
                "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},
                "post_processor":null,
                "decoder":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},
                "model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,\
                "end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,
                "vocab":{%s},
                "merges":[]}}
                """.formatted(IntStream.range(0, BYTES)
                .mapToObj(value -> '"' + escaped(letter(value)) + "\":" + value)
                .collect(Collectors.joining(",")));
    }

    /**
     * Returns the character that stands for a byte, as in GPT-2's vocabulary: a visible character of Latin-1 for itself, and for the
     * others, from 0 to 255, the characters from U+0100 on.
     */
    private static char letter(int value) {
        boolean visible = isVisible(value);
        return (char)
                (visible
                        ? value
                        : BYTES
                                + IntStream.range(0, value)
                                        .filter(v -> !isVisible(v))
                                        .count());
    }

    private static boolean isVisible(int value) {
        return (value >= '!' && value <= '~') || (value >= 0xa1 && value != 0xad);
    }

    private static String escaped(char letter) {
        return letter == '"' || letter == '\\' ? "\\" + letter : String.valueOf(letter);
    }
}
