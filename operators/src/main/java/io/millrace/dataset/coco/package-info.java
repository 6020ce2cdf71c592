/**
 * The dataset format {@code coco}: a folder of pictures, and a JSON file in the form of COCO's instances, person keypoints or captions.
 *
 * <p>Read {@link io.millrace.dataset.coco.CocoFormat} first. {@code CocoReader} reads the file once, from front to back, into the arrays
 * of {@code CocoIndex}, and {@code CocoDataset} makes samples from them. {@code CocoColumn} lists the values that a sample can have.
 *
 * <p>The package does not evaluate detections.
 */
@NullMarked
package io.millrace.dataset.coco;

import org.jspecify.annotations.NullMarked;
