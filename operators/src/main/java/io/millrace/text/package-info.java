/**
 * Tokenizers of language models: texts become ids. Read {@link io.millrace.text.Tokenizer} first.
 */
@NullMarked
package io.millrace.text;

import org.jspecify.annotations.NullMarked;
