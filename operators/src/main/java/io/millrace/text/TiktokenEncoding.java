package io.millrace.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The encodings whose file of ranks is known: their pattern and their special tokens, which a file of ranks does not contain. The
 * patterns and tokens are those of {@code tiktoken_ext.openai_public} of tiktoken 0.14, and of {@code tokenizer.py} in Meta's
 * llama-models.
 *
 * <p>Tested by {@code TiktokenFileTest}.
 */
@SuppressWarnings("ImmutableEnumChecker") // the pretokens have no state, and the map is a copy of Map.copyOf
enum TiktokenEncoding {
    R50K_BASE(
            "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
            Gpt2Pretokens.plain(),
            () -> Map.of("<|endoftext|>", 50256)),
    P50K_BASE(
            "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
            Gpt2Pretokens.plain(),
            () -> Map.of("<|endoftext|>", 50256)),
    CL100K_BASE(
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            LetterPretokens.tiktoken(),
            () -> Map.of(
                    "<|endoftext|>", 100257,
                    "<|fim_prefix|>", 100258,
                    "<|fim_middle|>", 100259,
                    "<|fim_suffix|>", 100260,
                    "<|endofprompt|>", 100276)),
    O200K_BASE(
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            CasedPretokens.o200k(),
            () -> Map.of("<|endoftext|>", 199999, "<|endofprompt|>", 200018)),
    LLAMA3(
            "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
            LetterPretokens.threeDigits(),
            TiktokenEncoding::llama3),
    LLAMA4(
            "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
            CasedPretokens.o200k(),
            TiktokenEncoding::llama4);

    private static final List<TiktokenEncoding> NAMED = List.of(R50K_BASE, CL100K_BASE, O200K_BASE);

    private final String sha256;
    private final Pretokens pretokens;
    /** Made when they are needed, because every command reads the names. */
    private final Supplier<Map<String, Integer>> special;

    TiktokenEncoding(String sha256, Pretokens pretokens, Supplier<Map<String, Integer>> special) {
        this.sha256 = sha256;
        this.pretokens = pretokens;
        this.special = special;
    }

    /** Returns the name, such as {@code cl100k_base}. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the SHA-256 of the file of ranks, in hexadecimal. */
    String sha256() {
        return sha256;
    }

    Pretokens pretokens() {
        return pretokens;
    }

    /** Returns the ids of the special tokens. */
    Map<String, Integer> special() {
        return special.get();
    }

    /** Returns the encoding of a vocabulary that Millrace has, by its name: {@code gpt2} is another name of {@code r50k_base}. */
    static Optional<TiktokenEncoding> named(String name) {
        return NAMED.stream()
                .filter(encoding -> encoding.title().equals(name.equals("gpt2") ? "r50k_base" : name))
                .findFirst();
    }

    /** Returns the names of the vocabularies that Millrace has. */
    static List<String> names() {
        return Stream.concat(Stream.of("gpt2"), NAMED.stream().map(TiktokenEncoding::title))
                .toList();
    }

    private static Map<String, Integer> llama3() {
        List<String> tokens = new ArrayList<>(List.of(
                "<|begin_of_text|>",
                "<|end_of_text|>",
                "<|reserved_special_token_0|>",
                "<|reserved_special_token_1|>",
                "<|finetune_right_pad_id|>",
                "<|step_id|>",
                "<|start_header_id|>",
                "<|end_header_id|>",
                "<|eom_id|>",
                "<|eot_id|>",
                "<|python_tag|>",
                "<|image|>"));
        reserve(tokens, "", 2, 256 - tokens.size());
        return from(128000, tokens);
    }

    private static Map<String, Integer> llama4() {
        List<String> tokens = new ArrayList<>(List.of(
                "<|begin_of_text|>",
                "<|end_of_text|>",
                "<|fim_prefix|>",
                "<|fim_middle|>",
                "<|fim_suffix|>",
                "<|header_start|>",
                "<|header_end|>",
                "<|eom|>",
                "<|eot|>",
                "<|step|>"));
        reserve(tokens, "text_post_train_", 0, 6);
        tokens.addAll(List.of("<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>"));
        reserve(tokens, "text_post_train_", 8, 61);
        tokens.addAll(List.of("<|image_start|>", "<|image_end|>"));
        reserve(tokens, "vision_", 0, 2);
        tokens.addAll(List.of("<|tile_x_separator|>", "<|tile_y_separator|>"));
        reserve(tokens, "vision_", 2, 4);
        tokens.add("<|image|>");
        reserve(tokens, "vision_", 6, 1);
        tokens.add("<|patch|>");
        reserve(tokens, "vision_", 7, 1041);
        reserve(tokens, "reasoning_", 0, 8);
        tokens.addAll(List.of("<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>"));
        reserve(tokens, "", 0, 2048 - tokens.size());
        return from(200000, tokens);
    }

    private static void reserve(List<String> tokens, String kind, int first, int count) {
        IntStream.range(first, first + count)
                .forEach(i -> tokens.add("<|" + kind + "reserved_special_token_" + i + "|>"));
    }

    private static Map<String, Integer> from(int first, List<String> tokens) {
        Map<String, Integer> ids = new LinkedHashMap<>();
        tokens.forEach(token -> ids.put(token, first + ids.size()));
        return ids;
    }
}
