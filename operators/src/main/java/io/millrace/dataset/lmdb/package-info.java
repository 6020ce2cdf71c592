/**
 * LMDB databases, read without LMDB's library: that one maps the file and trusts every page of it, so that a damaged or
 * truncated file ends the JVM. Here pages are read by position, in any storage, and each place that comes out of the file
 * is checked. No lock file is made: folders may be read-only, and nobody may write to the database meanwhile.
 */
@NullMarked
package io.millrace.dataset.lmdb;

import org.jspecify.annotations.NullMarked;
