/** Which files a dataset is made of: paths, lists of paths, braces and globs, in one order. */
@NullMarked
package io.millrace.dataset.files;

import org.jspecify.annotations.NullMarked;
