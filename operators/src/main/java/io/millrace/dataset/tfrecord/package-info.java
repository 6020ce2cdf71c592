/**
 * The dataset format {@code tfrecord}: TensorFlow's record files of {@code tf.train.Example}, read without TensorFlow.
 *
 * <p>Read {@link io.millrace.dataset.tfrecord.TfRecordFormat} first. {@code RecordIndexer} finds the records of a file,
 * {@code TfRecordDataset} reads single records, and {@code Examples} and {@code WireReader} decode their features.
 * {@link io.millrace.dataset.tfrecord.RecordBytes} and {@link io.millrace.dataset.tfrecord.MessageBytes} write records.
 *
 * <p>The package refuses compressed files, and does not read messages other than Example, such as SequenceExample.
 */
@NullMarked
package io.millrace.dataset.tfrecord;

import org.jspecify.annotations.NullMarked;
