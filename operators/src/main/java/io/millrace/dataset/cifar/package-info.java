/**
 * The dataset format {@code cifar}: the binary files of CIFAR-10 and CIFAR-100.
 *
 * <p>Read {@link io.millrace.dataset.cifar.CifarFormat} first, which finds the files of a folder. {@code Variant}
 * describes the records of the two datasets, and {@code CifarDataset} reads single records.
 *
 * <p>The package may import {@code dataset}, its packages {@code fields}, {@code files}, {@code shard} and
 * {@code storage}, {@code option} and {@code sample}, and no Flink.
 *
 * <p>Not promised: the Python and MATLAB files of the same datasets. The size of a file decides which of the two
 * datasets it is, so a file that is cut off is refused.
 */
@NullMarked
package io.millrace.dataset.cifar;

import org.jspecify.annotations.NullMarked;
