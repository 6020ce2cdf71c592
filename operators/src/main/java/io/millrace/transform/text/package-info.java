/**
 * Transforms of texts: {@link io.millrace.transform.text.Tokenize} turns them into ids, and {@link
 * io.millrace.transform.text.PackSequences} joins the documents of a pack. Read the first one first.
 */
@NullMarked
package io.millrace.transform.text;

import org.jspecify.annotations.NullMarked;
