/**
 * The packing of documents into sequences of one length, as pure functions of the documents' lengths. Read {@link
 * io.millrace.sequence.DocumentLengths} first.
 */
@NullMarked
package io.millrace.sequence;

import org.jspecify.annotations.NullMarked;
