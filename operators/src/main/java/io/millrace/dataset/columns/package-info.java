/**
 * The common part of formats with named columns: the choice of columns, the fields that their values become, and the
 * rows of several files as one dataset.
 *
 * <p>Read {@link io.millrace.dataset.columns.Table} first, the interface that Arrow, Parquet, HDF5 and LMDB implement.
 * {@link io.millrace.dataset.columns.TableDataset} combines tables into a dataset.
 * {@link io.millrace.dataset.columns.LoadedCache} keeps parts of files that were decompressed as a whole.
 *
 * <p>The package does not depend on the way in which a format stores bytes: each format reads its own files. Rows are
 * read one by one, so a scan of a whole column is not fast.
 */
@NullMarked
package io.millrace.dataset.columns;

import org.jspecify.annotations.NullMarked;
