/**
 * The dataset format {@code tar}: archives of samples as WebDataset writes them. Consecutive members with the same key
 * are a sample, and their suffixes select its fields.
 *
 * <p>Read {@link io.millrace.dataset.tar.TarFormat} first. {@code TarScan} reads the headers of an archive once,
 * {@code TarIndex} holds the positions of its samples, {@code TarDataset} reads single samples, and
 * {@code MemberSource} converts a member to a field.
 *
 * <p>The package refuses compressed archives and sparse members. Names in an archive are keys and never paths, so no
 * name can lead to a file outside the archive.
 */
@NullMarked
package io.millrace.dataset.tar;

import org.jspecify.annotations.NullMarked;
