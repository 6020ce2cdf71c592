/**
 * The files that name a subset of a dataset, by indexes or by the names of samples.
 *
 * <p>{@link io.millrace.dataset.DatasetSpec} finds {@link io.millrace.dataset.subset.SubsetFile} as a service.
 */
@NullMarked
package io.millrace.dataset.subset;

import org.jspecify.annotations.NullMarked;
