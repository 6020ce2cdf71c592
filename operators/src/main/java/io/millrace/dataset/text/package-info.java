/**
 * The dataset format {@code text}: plain text files, each of which is a document, or is divided at a separator.
 *
 * <p>Read {@link io.millrace.dataset.text.TextFormat} first. {@code TextFiles} reads a document from each file, and {@code
 * SeparatedTexts} the pieces of files, which {@code dataset.shard} finds.
 */
@NullMarked
package io.millrace.dataset.text;

import org.jspecify.annotations.NullMarked;
