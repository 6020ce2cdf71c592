package io.millrace.generate.photos;

import java.util.List;

/** The scenes on land outside of towns. */
final class LandScenes {
    private static final int[] PETALS = {0xd83a4e, 0xf0c030, 0xe8e4ee, 0xb060c8, 0xf07aa8, 0xf08030};

    static final List<Scene> ALL = List.of(
            new Scene("meadow", LandScenes::meadow),
            new Scene("desert", LandScenes::desert),
            new Scene("forest", LandScenes::forest),
            new Scene("mountain", LandScenes::mountain),
            new Scene("flowers", LandScenes::flowers));

    private LandScenes() {}

    private static void meadow(Painter p) {
        double horizon = p.uniform(0.25, 0.55);
        p.sky(horizon, p.tint(0x4f8fd6), p.tint(0xbfd9ee), p.uniform(0.1, 0.7), p.tint(0xf2f2f2));
        Colour far = p.tint(0x4d6b45);
        p.ground(p.ridge(horizon - 0.02, 0.04, 0.55), p.noise(0.02, 0.02, 0.8), far.times(0.6), far, 0.6, 0);
        Colour grass = p.tint(0x7da23c);
        float[] blades = p.noise(p.uniform(0.03, 0.1), p.uniform(0.1, 0.2), 0.75);
        p.ground(p.ridge(horizon + 0.05, 0.02, 0.4), blades, grass.times(0.45), grass.times(1.15), 0.55, 2);
        if (p.random().chance(0.6)) {
            int blossoms = 30 + p.random().below(160);
            p.spots(blossoms, horizon + 0.15, 1, 0.001, 0.005, p.tint(0xe6d860), 25);
        }
        if (p.random().chance(0.4)) {
            tree(p, p.uniform(0.1, 0.9), horizon + 0.08, p.uniform(0.08, 0.16));
        }
    }

    private static void tree(Painter p, double centre, double foot, double size) {
        p.trunk(centre, size * 0.16, foot - size * 1.4, foot, p.tint(0x5a4632), p.noise(0.01, 0.1, 0.7));
        Colour leaves = p.tint(0x47702c);
        for (int i = 0; i < 70; i++) {
            double x = centre + size * 0.45 * p.random().normal();
            double y = foot - size * 1.9 + size * 0.5 * p.random().normal();
            double radius = p.x(size * p.uniform(0.08, 0.22));
            Colour lit = leaves.times(0.7 + (foot - size - y)).varied(12, p.random());
            p.canvas.ellipse(p.x(x), p.y(y), radius, radius * 0.8, lit, 0.4);
        }
    }

    private static void desert(Painter p) {
        double horizon = p.uniform(0.2, 0.5);
        p.sky(horizon + 0.1, p.tint(0x5d9bd8), p.tint(0xe3dcc8), p.uniform(-0.3, 0.3), p.tint(0xf4efe6));
        Colour sand = p.tint(0xd9a461);
        int dunes = 3 + p.random().below(3);
        for (int i = 0; i < dunes; i++) {
            double depth = (double) i / dunes;
            Colour near = sand.mix(Colour.of(0xe3d2b8), 0.5 * (1 - depth)).varied(8, p.random());
            float[] ripples = p.noise(p.uniform(0.2, 0.5), 0.01 + 0.05 * depth, 0.62);
            double at = horizon + (1 - horizon) * depth * 0.9;
            p.ground(p.ridge(at, 0.03 + 0.06 * depth, 0.3), ripples, near.times(0.68), near.times(1.08), 0.5, 0);
        }
        p.canvas.shade((int) p.y(horizon), p.canvas.height, p.noise(0.6, 0.2, 0.4), 0.07);
    }

    private static void forest(Painter p) {
        Colour leaves = p.tint(0x3f6a2a);
        p.canvas.gradient(0, p.canvas.height, leaves.times(1.3), leaves.times(0.5));
        p.canvas.shade(0, p.canvas.height, p.noise(0.12, 0.12, 0.78), 0.32);
        p.canvas.veil(0, (int) p.y(0.6), p.noise(0.1, 0.15, 0.7), p.uniform(0.9, 1.7), 1, p.tint(0xdde8c0));
        double floor = p.uniform(0.68, 0.88);
        Colour earth = p.tint(0x6b5a34);
        p.ground(p.ridge(floor, 0.02, 0.6), p.noise(0.08, 0.03, 0.8), earth.times(0.4), earth, 0.5, 1);
        int trunks = 6 + p.random().below(14);
        float[] bark = p.noise(0.012, 0.12, 0.75);
        for (int i = 0; i < trunks; i++) {
            double near = (i + 1.0) / trunks;
            Colour wood = p.tint(0x54432f).mix(leaves, 0.6 * (1 - near));
            p.trunk(p.uniform(0, 1), 0.012 + 0.06 * near * near, 0, floor + 0.12 * near, wood, bark);
        }
        p.canvas.veil(0, (int) p.y(0.55), p.noise(0.09, 0.07, 0.82), p.uniform(0.2, 0.9), 0.7, leaves.times(0.8));
        p.canvas.veil(0, (int) p.y(0.6), p.noise(0.05, 0.04, 0.85), 1.1, 0.8, leaves.times(1.7));
    }

    private static void mountain(Painter p) {
        double peaks = p.uniform(0.2, 0.42);
        p.sky(0.8, p.tint(0x5a8fcc), p.tint(0xcfdde8), p.uniform(0, 0.6), p.tint(0xe9ecf0));
        Colour rock = p.tint(0x77808e);
        Colour snow = p.tint(0xeef2f8);
        for (int i = 0; i < 3; i++) {
            double at = peaks + 0.15 * i;
            Colour stone = rock.mix(Colour.of(0xb9cbdd), 0.5 - 0.22 * i);
            float[] cliffs = p.noise(p.uniform(0.05, 0.15), p.uniform(0.1, 0.2), 0.72);
            float[] edge = p.ridge(at, 0.13, 0.52);
            p.ground(edge, cliffs, stone.times(0.5), i == 0 ? snow : stone.mix(snow, 0.5), 0.7, 0);
        }
        if (p.random().chance(0.7)) {
            Colour pines = p.tint(0x33492f);
            float[] needles = p.noise(0.015, 0.04, 0.8);
            p.ground(p.ridge(p.uniform(0.75, 0.9), 0.05, 0.75), needles, pines.times(0.4), pines, 0.5, 0);
        }
    }

    private static void flowers(Painter p) {
        Colour green = p.tint(0x4c7a34);
        p.canvas.gradient(0, p.canvas.height, green.times(p.uniform(0.7, 1.2)), green.times(p.uniform(0.5, 0.9)));
        p.canvas.shade(0, p.canvas.height, p.noise(0.15, 0.15, 0.66), 0.3);
        p.spots(60, 0, 1, 0.01, 0.06, green.times(0.8), 22);
        Colour petal = p.tint(PETALS[p.random().below(PETALS.length)]);
        Colour second = p.tint(PETALS[p.random().below(PETALS.length)]);
        Colour heart = p.tint(0xe0b030);
        int count = 12 + p.random().below(50);
        double size = p.uniform(0.5, 1);
        for (int i = 0; i < count; i++) {
            double near = (i + 1.0) / count;
            Colour colour = p.random().chance(0.75) ? petal : second;
            p.flower(
                    p.uniform(0, 1),
                    Math.min(1, near * 0.9 + p.uniform(0, 0.25)),
                    size * (0.02 + 0.06 * near),
                    colour.times(0.75 + 0.3 * near),
                    heart);
        }
        p.canvas.shade(0, p.canvas.height, p.noise(0.03, 0.03, 0.85), 0.1);
    }
}
