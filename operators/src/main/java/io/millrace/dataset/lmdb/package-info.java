/**
 * The dataset format {@code lmdb}: LMDB databases, read without LMDB's library. That library maps the file and trusts
 * every page of it, so a damaged or truncated file would end the JVM. Here pages are read by position, in any storage,
 * and each position that comes out of the file is checked.
 *
 * <p>Read {@link io.millrace.dataset.lmdb.LmdbFormat} first, then {@code LmdbTable}. {@code LmdbFile} reads pages,
 * {@code LmdbKeys} walks the tree once for the order of the keys, and {@code LmdbPage} reads one page.
 *
 * <p>The package may import {@code dataset}, its packages {@code columns}, {@code fields}, {@code files} and
 * {@code storage}, {@code option} and {@code sample}, and no Flink.
 *
 * <p>Not promised: reading a database while another program writes to it. No lock file is made, so folders may be
 * read-only. Databases of 32-bit machines, named databases within a database, and several values of one key are
 * refused.
 */
@NullMarked
package io.millrace.dataset.lmdb;

import org.jspecify.annotations.NullMarked;
