/**
 * The types of fields that only the values decide, such as the numbers in a JSON member. A run settles them once, from the first
 * samples of its order, and reads every sample with the settled types.
 *
 * <p>Read {@link io.millrace.dataset.types.TypeInspection} first: it settles the types. A {@link
 * io.millrace.dataset.types.FieldType} decides which fields have its type, and {@link io.millrace.dataset.types.SettledDataset}
 * applies the types to the samples of a dataset. {@link io.millrace.dataset.Dataset#undeclared} states which fields need this.
 *
 * <p>The package does not settle the number of elements of tensors, which transforms may still change. Packing compares them.
 */
@NullMarked
package io.millrace.dataset.types;

import org.jspecify.annotations.NullMarked;
