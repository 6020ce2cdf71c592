/**
 * The packing of documents into sequences of one length, and the arrangement of rows by their lengths, as pure functions of the documents'
 * lengths.
 *
 * <p>Read {@link io.millrace.sequence.SequencePlan} first: it divides the documents of a dataset into packs by a {@link
 * io.millrace.sequence.PackRule}. {@link io.millrace.sequence.PackChoice} chooses the rule. {@code WindowPacker} packs one window of
 * documents. {@link io.millrace.sequence.PackCounter} counts the packs of a dataset, or a {@link io.millrace.sequence.GrowingPlan} counts
 * them while documents are read, and {@link io.millrace.sequence.Packs} are the packs by their numbers.
 *
 * <p>{@link io.millrace.sequence.DocumentLengths} come from a {@link io.millrace.sequence.LengthsFile}, which a {@link
 * io.millrace.sequence.LengthsWriter} makes. A {@link io.millrace.sequence.SequencePlanFile} keeps a plan.
 *
 * <p>An {@link io.millrace.sequence.ArrangedOrder} arranges the rows of a global batch, by {@link io.millrace.sequence.BalancedRows} so that
 * ranks have equal work, or those of a larger window, by {@link io.millrace.sequence.LengthBuckets} so that batches have little padding.
 *
 * <p>The package does not tokenise and does not read documents. It does not promise the same packs after a change of the seed, the
 * dataset, the tokenizer or the rule.
 */
@NullMarked
package io.millrace.sequence;

import org.jspecify.annotations.NullMarked;
