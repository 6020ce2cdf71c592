@NullMarked
package io.millrace.train.input;

import org.jspecify.annotations.NullMarked;
