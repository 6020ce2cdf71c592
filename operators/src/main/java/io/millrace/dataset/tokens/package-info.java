/**
 * The dataset formats {@code megatron} and {@code tokens}: documents that are stored as ids of tokens, as Megatron-LM, nanoGPT and
 * llm.c write them.
 *
 * <p>Read {@link io.millrace.dataset.tokens.MegatronFormat} and {@link io.millrace.dataset.tokens.TokensFormat} first. Both make a
 * {@code TokenDataset}, whose samples have the field {@code tokens}: ragged int32. {@code MegatronFile} reads an index of Megatron-LM,
 * and {@code TokenIndexer} finds the documents in an array of ids. A mapped index must not be cut short while a run reads it.
 */
@NullMarked
package io.millrace.dataset.tokens;

import org.jspecify.annotations.NullMarked;
