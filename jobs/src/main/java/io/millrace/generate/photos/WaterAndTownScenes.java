package io.millrace.generate.photos;

import java.util.List;

/** The scenes with water, evening light and towns. */
final class WaterAndTownScenes {
    static final List<Scene> ALL = List.of(
            new Scene("sea", WaterAndTownScenes::sea),
            new Scene("city", WaterAndTownScenes::city),
            new Scene("sunset", WaterAndTownScenes::sunset),
            new Scene("night", WaterAndTownScenes::night),
            new Scene("beach", WaterAndTownScenes::beach));

    private WaterAndTownScenes() {}

    private static void sea(Painter p) {
        double horizon = p.uniform(0.2, 0.55);
        p.sky(horizon, p.tint(0x6fa2d4), p.tint(0xd3e1ec), p.uniform(0, 0.9), p.tint(0xdfe4ea));
        Colour water = p.tint(0x2f6a8c);
        water(p, horizon, water, p.uniform(0.03, 0.07));
        int foamFrom = (int) p.y(horizon + 0.12);
        p.canvas.veil(
                foamFrom, p.canvas.height, p.noise(0.12, 0.025, 0.75), p.uniform(1.5, 2.4), 0.7, p.tint(0xe8f0f2));
    }

    private static void water(Painter p, double horizon, Colour colour, double wave) {
        float[] swell = p.noise(wave * 5, wave, 0.68);
        p.ground(p.level(horizon), swell, colour.times(0.55), colour.mix(Colour.of(0xd5e6ee), 0.45), 0.5, 6);
    }

    private static void city(Painter p) {
        p.sky(0.7, p.tint(0x93aac4), p.tint(0xd4d8dc), p.uniform(0, 1), p.tint(0xe2e2e4));
        double street = p.uniform(0.78, 0.92);
        int[] walls = {0x9a8f86, 0x8496a8, 0xb5a08a, 0xa8705c, 0xb8b8b4};
        for (int row = 0; row < 3; row++) {
            double near = row / 2.0;
            Colour wall = p.tint(walls[p.random().below(walls.length)]).mix(Colour.of(0xc0ccd6), 0.5 * (1 - near));
            p.houses(street, 0.75 - 0.22 * row, wall, 0.25, p.tint(0xd8e2ea), p.tint(0x3a4450));
        }
        Colour asphalt = p.tint(0x6a6a6c);
        p.ground(p.level(street), p.noise(0.1, 0.03, 0.85), asphalt.times(0.7), asphalt.times(1.2), 0.5, 2);
        int cars = p.random().below(6);
        float[] shine = p.noise(0.03, 0.01, 0.6);
        for (int i = 0; i < cars; i++) {
            car(p, p.uniform(0, 1), street + p.uniform(0.01, 0.06), shine);
        }
        p.canvas.shade(0, p.canvas.height, p.noise(0.2, 0.2, 0.75), 0.06);
    }

    private static void car(Painter p, double left, double top, float[] shine) {
        Colour paint = p.tint(0x808080).varied(60, p.random());
        double wide = p.uniform(0.05, 0.09);
        p.canvas.rectangle(p.x(left), p.y(top), p.x(left + wide), p.y(top + 0.035), paint, shine, 14);
        double cabin = left + 0.2 * wide;
        p.canvas.rectangle(
                p.x(cabin), p.y(top - 0.025), p.x(cabin + 0.6 * wide), p.y(top), paint.times(0.5), shine, 10);
        for (double wheel : new double[] {0.2, 0.8}) {
            p.canvas.ellipse(
                    p.x(left + wheel * wide), p.y(top + 0.036), p.x(0.009), p.x(0.009), Colour.of(0x181818), 0.2);
        }
    }

    private static void sunset(Painter p) {
        double horizon = p.uniform(0.55, 0.8);
        p.sky(horizon, p.tint(0x4a4676), p.tint(0xf39a4a), p.uniform(0.2, 0.7), p.tint(0xd8704e));
        double sunX = p.x(p.uniform(0.15, 0.85));
        double sunY = p.y(horizon - p.uniform(0.03, 0.2));
        p.canvas.glow(sunX, sunY, p.x(0.4), Colour.of(0xffc060), 0.6);
        double radius = p.x(p.uniform(0.025, 0.05));
        p.canvas.ellipse(sunX, sunY, radius, radius, Colour.of(0xfff2c0), 0.15);
        p.canvas.veil(0, (int) p.y(horizon), p.noise(0.4, 0.03, 0.6), p.uniform(0.8, 1.6), 1.2, p.tint(0x6e4256));
        if (p.random().chance(0.5)) {
            water(p, horizon, p.tint(0x9a5a48), 0.03);
            p.canvas.glow(sunX, p.y(horizon + 0.12), p.x(0.12), Colour.of(0xffc878), 0.7);
        }
        Colour dark = p.tint(0x241c22);
        for (int i = 0; i < 2; i++) {
            float[] scrub = p.noise(0.04, 0.03, 0.8);
            double at = horizon + 0.06 + 0.12 * i;
            p.ground(p.ridge(at, 0.05, 0.62), scrub, dark.times(0.6), dark.times(1.7 - 0.4 * i), 0.4, 0);
        }
    }

    private static void night(Painter p) {
        double ground = p.uniform(0.75, 0.95);
        p.sky(1, p.tint(0x0a1028), p.tint(0x2b3358), p.uniform(-0.2, 0.5), p.tint(0x3a4260));
        p.spots(40 + p.random().below(150), 0, 0.7, 0.001, 0.003, Colour.of(0xc8d0e8), 30);
        if (p.random().chance(0.5)) {
            double moonX = p.x(p.uniform(0.1, 0.9));
            double moonY = p.y(p.uniform(0.08, 0.3));
            p.canvas.glow(moonX, moonY, p.x(0.15), Colour.of(0x8890b0), 0.5);
            double radius = p.x(p.uniform(0.02, 0.04));
            p.canvas.ellipse(moonX, moonY, radius, radius, Colour.of(0xf0eedc), 0.12);
        }
        for (int row = 0; row < 2; row++) {
            Colour wall = p.tint(0x1a1c28);
            p.houses(ground, 0.6 - 0.25 * row, wall, p.uniform(0.15, 0.5), p.tint(0xf2cc70), wall.times(0.8));
        }
        Colour street = p.tint(0x2c2a30);
        p.ground(p.level(ground), p.noise(0.06, 0.02, 0.8), street.times(0.5), street.times(1.7), 0.5, 2);
        int lamps = 4 + p.random().below(8);
        for (int i = 0; i < lamps; i++) {
            double x = p.x(p.uniform(0, 1));
            p.canvas.glow(x, p.y(ground - 0.03), p.x(0.06), Colour.of(0xffc468), 0.6);
            p.canvas.ellipse(x, p.y(ground - 0.03), p.x(0.006), p.x(0.006), Colour.of(0xfff0c8), 0.3);
        }
    }

    private static void beach(Painter p) {
        double horizon = p.uniform(0.2, 0.4);
        p.sky(horizon, p.tint(0x58a0e0), p.tint(0xcfe6f4), p.uniform(0, 0.5), p.tint(0xf6f8fa));
        water(p, horizon, p.tint(0x2fa0ac), 0.025);
        double shore = horizon + p.uniform(0.12, 0.25);
        Colour sand = p.tint(0xe2cb9c);
        float[] foam = p.noise(0.06, 0.02, 0.7);
        p.ground(p.ridge(shore, 0.035, 0.35), foam, p.tint(0xbfe0e0), Colour.of(0xf6fafa), 0.8, 0);
        float[] grains = p.noise(p.uniform(0.1, 0.3), p.uniform(0.04, 0.1), 0.72);
        p.ground(p.ridge(shore + 0.05, 0.035, 0.35), grains, sand.times(0.72), sand.times(1.06), 0.5, 3);
        int parasols = p.random().below(5);
        float[] cloth = p.noise(0.05, 0.05, 0.6);
        for (int i = 0; i < parasols; i++) {
            parasol(p, p.uniform(0.05, 0.95), p.uniform(shore + 0.1, 0.9), p.uniform(0.03, 0.06), cloth);
        }
        p.spots(20 + p.random().below(60), shore + 0.12, 1, 0.001, 0.005, sand.times(0.55), 15);
    }

    private static void parasol(Painter p, double x, double y, double size, float[] cloth) {
        p.canvas.rectangle(p.x(x) - 1, p.y(y), p.x(x) + 1, p.y(y) + p.x(size * 1.6), Colour.of(0xe8e4dc), cloth, 3);
        Colour first = p.tint(0xc8b040).varied(60, p.random());
        p.canvas.ellipse(p.x(x), p.y(y), p.x(size), p.x(size * 0.45), first, 0.15);
        p.canvas.ellipse(p.x(x), p.y(y), p.x(size * 0.4), p.x(size * 0.45), Colour.of(0xf2efe8), 0.15);
    }
}
