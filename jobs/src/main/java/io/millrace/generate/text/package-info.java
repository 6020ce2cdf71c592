/**
 * A generator of short stories for language models, as JSON lines, with a tokenizer for them.
 *
 * <p>Read {@link io.millrace.generate.text.TextGenerator} first: it writes the files. {@code Stories} draws a story from a small
 * grammar, and {@code ByteTokenizer} has the tokenizer's files.
 *
 * <p>The package does not promise that its stories make sense: a model that is trained on them knows only their grammar.
 */
@NullMarked
package io.millrace.generate.text;

import org.jspecify.annotations.NullMarked;
