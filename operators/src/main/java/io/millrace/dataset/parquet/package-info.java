/**
 * Parquet files, as pyarrow, Spark and Hugging Face's hub write them.
 *
 * <p>Pages are found, checked and decompressed here, so that one row costs one page of each column that is read; what is in
 * them is decoded by Parquet's own library. Its reader of whole files is left out: it needs Hadoop's classes, 50 MB of them,
 * and has no way to ask for a row by its number.
 */
@NullMarked
package io.millrace.dataset.parquet;

import org.jspecify.annotations.NullMarked;
