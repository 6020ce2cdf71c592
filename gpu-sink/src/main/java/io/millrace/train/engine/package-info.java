@NullMarked
package io.millrace.train.engine;

import org.jspecify.annotations.NullMarked;
