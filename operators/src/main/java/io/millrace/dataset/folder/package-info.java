/**
 * The dataset format {@code folder}: images in one folder per class, {@code root/class/any/depth/file.jpg}, as
 * torchvision's ImageFolder reads them, or images that {@code root/labels.csv} lists.
 *
 * <p>Read {@link io.millrace.dataset.folder.FolderFormat} first. {@code FolderScan} lists class folders,
 * {@code LabelsFile} reads the file of labels, and {@code FolderDataset} reads one image as a sample.
 *
 * <p>The package does not detect new files while the dataset is open, because the files are listed once, when the
 * dataset is opened. A file that is deleted later becomes a bad sample.
 */
@NullMarked
package io.millrace.dataset.folder;

import org.jspecify.annotations.NullMarked;
