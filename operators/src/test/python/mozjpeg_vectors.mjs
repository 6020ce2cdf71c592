/*
 * Writes random JPEGs with mozjpeg, which is a part of sharp's library: its quantization tables, and coefficients and Huffman tables
 * chosen by trellis quantization. Made with sharp 0.35.5 (npm install sharp), mozjpeg 0826579.
 *
 *     node mozjpeg_vectors.mjs FOLDER COUNT SEED [LARGEST]
 *
 * jpeg_vectors.py hashes the files.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';

const [folder, count, seed, largest = '90'] = process.argv.slice(2);

/* A linear congruence modulo 2^32; its upper bits are the random ones. */
function generator(start) {
    let state = start >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

mkdirSync(folder, { recursive: true });
for (let number = 0; number < Number(count); number++) {
    const random = generator(Number(seed) * 1_000_003 + number * 7919);
    const between = (first, last) => first + Math.floor(random() * (last - first + 1));
    for (let i = 0; i < 8; i++) {
        random();
    }
    const height = between(1, random() < 0.5 ? Number(largest) : 40);
    const width = between(1, random() < 0.5 ? Number(largest) : 40);
    const phase = [random(), random(), random(), random()];
    const noise = random() < 0.3 ? 255 : 60 * random();
    const pixels = Buffer.alloc(height * width * 3);
    for (let i = 0; i < pixels.length; i++) {
        const x = Math.floor(i / 3) % width;
        const y = Math.floor(i / 3 / width);
        const value = 128 + 90 * Math.sin(0.2 * phase[0] * x + 0.2 * phase[1] * y + 6 * phase[2] + (i % 3) * phase[3]);
        pixels[i] = Math.max(0, Math.min(255, value + (random() - 0.5) * noise));
    }
    let image = sharp(pixels, { raw: { width, height, channels: 3 } });
    if (random() < 0.15) {
        image = image.grayscale();
    }
    const file = await image
        .jpeg({
            quality: between(1, 100),
            chromaSubsampling: random() < 0.5 ? '4:2:0' : '4:4:4',
            progressive: random() < 0.05,
            optimiseCoding: true,
            trellisQuantisation: true,
            overshootDeringing: random() < 0.7,
            optimiseScans: false,
            quantisationTable: random() < 0.7 ? 3 : between(0, 8),
        })
        .toBuffer();
    writeFileSync(`${folder}/mozjpeg-${String(number).padStart(2, '0')}.jpg`, file);
}
