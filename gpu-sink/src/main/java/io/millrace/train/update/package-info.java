@NullMarked
package io.millrace.train.update;

import org.jspecify.annotations.NullMarked;
