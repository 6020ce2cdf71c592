package io.millrace.generate.photos;

import java.util.List;
import java.util.stream.Stream;

/**
 * A class of photographs.
 *
 * @param name the name of the class and of its folder
 * @param subject the painter of images of the class, each of which is different
 */
record Scene(String name, Subject subject) {
    /** The painting of an image with the painter's random numbers. */
    @FunctionalInterface
    interface Subject {
        void paint(Painter painter);
    }

    /** All classes. A generation with n classes uses the first n, which differ the most. */
    static final List<Scene> ALL = Stream.concat(LandScenes.ALL.stream(), WaterAndTownScenes.ALL.stream())
            .toList();
}
