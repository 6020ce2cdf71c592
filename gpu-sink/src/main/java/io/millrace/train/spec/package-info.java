/**
 * The specification of a training: the model, its input and target fields, the loss, the optimizer and their
 * settings.
 *
 * <p>Read {@link io.millrace.train.spec.TrainSpec} first. {@link io.millrace.train.spec.Roles} names the inputs and the target,
 * {@link io.millrace.train.spec.RowStages} the samples' transforms that run on the device. {@link
 * io.millrace.train.spec.ServiceCatalog} finds the models, losses and optimizers that jars offer by name. A specification that
 * cannot be trained is reported by {@link io.millrace.train.spec.TrainSpecException}.
 *
 * <p>All values are immutable, and those that reach the training task are serializable. The package does not check that
 * the parts of a specification fit together. The packages that use the parts check this.
 */
@NullMarked
package io.millrace.train.spec;

import org.jspecify.annotations.NullMarked;
