/** The binary files of CIFAR-10 and CIFAR-100. */
@NullMarked
package io.millrace.dataset.cifar;

import org.jspecify.annotations.NullMarked;
