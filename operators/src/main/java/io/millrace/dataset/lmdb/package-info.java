/**
 * The dataset format {@code lmdb}: LMDB databases, read without LMDB's library. That library maps the file and does not
 * check its pages, so a damaged or truncated file would crash the JVM. This package reads pages by their position in
 * any storage, and checks each position that it reads from the file.
 *
 * <p>Read {@link io.millrace.dataset.lmdb.LmdbFormat} first, then {@code LmdbTable}. {@code LmdbFile} reads pages,
 * {@code LmdbKeys} walks the tree once for the order of the keys, and {@code LmdbPage} reads one page.
 *
 * <p>The package does not support reading a database while another program writes to it. It creates no lock file, so
 * folders may be read-only. Databases of 32-bit machines are refused. A named database within a database, and a key with
 * several values, are bad samples.
 */
@NullMarked
package io.millrace.dataset.lmdb;

import org.jspecify.annotations.NullMarked;
