/**
 * The choice of the fields that a dataset reads, and the conversion of stored values to fields and labels.
 *
 * <p>Read {@link io.millrace.dataset.fields.FieldSelection} first. It contains the fields that the option
 * {@code fields} names, or the format's defaults. {@link io.millrace.dataset.fields.FieldValues} converts bytes, text
 * and numbers to fields, and {@link io.millrace.dataset.fields.Labels} converts them to labels, so that all formats
 * treat the same value alike.
 *
 * <p>The package does not depend on any format. Callers pass the {@link io.millrace.dataset.fields.ValuePlace} of a
 * value, so that messages about bad values name the file and the offset.
 */
@NullMarked
package io.millrace.dataset.fields;

import org.jspecify.annotations.NullMarked;
