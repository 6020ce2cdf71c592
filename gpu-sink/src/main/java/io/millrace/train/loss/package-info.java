@NullMarked
package io.millrace.train.loss;

import org.jspecify.annotations.NullMarked;
