/**
 * The common part of formats with named columns: the choice of columns, the fields that their values become, and the
 * rows of several files as one dataset.
 *
 * <p>Read {@link io.millrace.dataset.columns.Table} first, the interface that Arrow, Parquet, HDF5 and LMDB implement.
 * {@link io.millrace.dataset.columns.TableDataset} makes a dataset of tables.
 * {@link io.millrace.dataset.columns.LoadedCache} keeps parts of files that were decompressed as a whole.
 *
 * <p>The package may import {@code dataset}, its packages {@code fields}, {@code files}, {@code shard} and
 * {@code storage}, {@code option} and {@code sample}, and Jackson for Hugging Face's metadata. It imports no Flink.
 *
 * <p>Not promised: any knowledge of how a format stores bytes; each format does that itself. Rows are read one by one,
 * so a scan of a whole column is not fast.
 */
@NullMarked
package io.millrace.dataset.columns;

import org.jspecify.annotations.NullMarked;
