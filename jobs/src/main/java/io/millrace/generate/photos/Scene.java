package io.millrace.generate.photos;

import java.util.List;
import java.util.stream.Stream;

/**
 * A class of photographs.
 *
 * @param name the class's folder
 * @param subject paints one picture of it, different each time
 */
record Scene(String name, Subject subject) {
    /** Paints a picture with the painter's random numbers. */
    @FunctionalInterface
    interface Subject {
        void paint(Painter painter);
    }

    /** All classes; a generation with n classes uses the first n, which differ most. */
    static final List<Scene> ALL = Stream.concat(LandScenes.ALL.stream(), WaterAndTownScenes.ALL.stream())
            .toList();
}
