/**
 * Images in one folder per class: {@code root/class/any/depth/file.jpg}, as torchvision's ImageFolder reads them; or
 * images that {@code root/labels.csv} lists.
 */
@NullMarked
package io.millrace.dataset.folder;

import org.jspecify.annotations.NullMarked;
