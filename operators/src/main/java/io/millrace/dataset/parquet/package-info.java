/**
 * The dataset format {@code parquet}: Parquet files, as pyarrow, Spark and Hugging Face's hub write them.
 *
 * <p>Read {@link io.millrace.dataset.parquet.ParquetFormat} first, then {@code ParquetTable} and {@code ColumnGroup}.
 * This package finds, checks and decompresses pages, so that reading a row costs only one page of each column that is
 * read. Parquet's own library decodes the values in the pages. Its reader of whole files is not used, because it needs
 * 50 MB of Hadoop's classes and cannot read a row by its number.
 *
 * <p>The package may import {@code dataset}, its packages {@code columns}, {@code fields}, {@code files} and {@code
 * storage}, {@code option} and {@code sample}, the libraries for Snappy, Zstandard and LZ4, and Parquet's library,
 * which no other package may import. It does not import Flink.
 *
 * <p>The package does not support encrypted files, the codecs Brotli, LZO and Hadoop's LZ4, or the types decimal, date
 * and time.
 */
@NullMarked
package io.millrace.dataset.parquet;

import org.jspecify.annotations.NullMarked;
