/**
 * The dataset format {@code parquet}: Parquet files, as pyarrow, Spark and Hugging Face's hub write them.
 *
 * <p>Read {@link io.millrace.dataset.parquet.ParquetFormat} first, then {@code ParquetTable} and {@code ColumnGroup}.
 * {@code PartFinder} finds the parts of a column that are decoded together, so that reading a row costs one or two
 * pages of each column that is read. {@code PartDecoder} decodes a part, and {@code PageValues} lists the encodings.
 * Parquet's own library reads only the metadata. Its decoders are not used, because they allocate memory for as many
 * values as damaged bytes state, and its reader of whole files needs 50 MB of Hadoop's classes.
 *
 * <p>The package does not support encrypted files, the codecs Brotli, LZO and Hadoop's LZ4, or the types decimal, date
 * and time.
 */
@NullMarked
package io.millrace.dataset.parquet;

import org.jspecify.annotations.NullMarked;
