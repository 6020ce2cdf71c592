/**
 * The dataset format {@code parquet}: Parquet files, as pyarrow, Spark and Hugging Face's hub write them.
 *
 * <p>Read {@link io.millrace.dataset.parquet.ParquetFormat} first, then {@code ParquetTable} and {@code ColumnGroup}.
 * Pages are found, checked and decompressed in this package, so that one row costs one page of each column that is
 * read. Parquet's own library decodes the values in the pages. Its reader of whole files is not used: it needs
 * Hadoop's classes, 50 MB of them, and cannot read a row by its number.
 *
 * <p>The package may import {@code dataset}, its packages {@code columns}, {@code fields}, {@code files} and
 * {@code storage}, {@code option} and {@code sample}, Parquet's library, which no other package may import, Snappy,
 * Zstandard and LZ4. It imports no Flink.
 *
 * <p>Not promised: encrypted files, the codecs Brotli, LZO and Hadoop's LZ4, and the types decimal, date and time.
 */
@NullMarked
package io.millrace.dataset.parquet;

import org.jspecify.annotations.NullMarked;
