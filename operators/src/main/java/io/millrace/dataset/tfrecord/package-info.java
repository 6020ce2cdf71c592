/** TensorFlow's record files of {@code tf.train.Example}. */
@NullMarked
package io.millrace.dataset.tfrecord;

import org.jspecify.annotations.NullMarked;
