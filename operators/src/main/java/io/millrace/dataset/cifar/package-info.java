/**
 * The dataset format {@code cifar}: the binary files of CIFAR-10 and CIFAR-100.
 *
 * <p>Read {@link io.millrace.dataset.cifar.CifarFormat} first, which finds the files of a folder. {@code Variant}
 * describes the records of the two datasets, and {@code CifarDataset} reads single records.
 *
 * <p>The package does not read the Python and MATLAB files of the same datasets. The size of a file determines which of
 * the two datasets the file belongs to, so a file that is cut off is refused.
 */
@NullMarked
package io.millrace.dataset.cifar;

import org.jspecify.annotations.NullMarked;
