package io.millrace.image;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Decodes files for src/test/python/format_benchmark.py, which compares with other programs. Reads lines of {@code <kernels>
 * <folder> <seconds>}, and prints for each the milliseconds of this thread's CPU time for an image.
 */
public final class FormatBenchmark {
    private FormatBenchmark() {}

    /** Runs the benchmark on the subfolders of the folder that the argument names. */
    public static void main(String[] arguments) throws IOException, MalformedImageException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<String, List<byte[]>> sets = new HashMap<>();
        Map<String, ImageDecoder> decoders = new HashMap<>();
        String line;
        while ((line = lines.readLine()) != null) {
            List<String> words = List.of(line.split(" ", -1));
            if (!sets.containsKey(words.get(1))) {
                sets.put(words.get(1), files(Path.of(arguments[0], words.get(1))));
            }
            ImageDecoder decoder = decoders.computeIfAbsent(
                    words.get(0),
                    name -> new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, KernelChoice.named(name)));
            System.out.println(cost(decoder, sets.get(words.get(1)), Double.parseDouble(words.get(2))));
        }
    }

    private static List<byte[]> files(Path folder) throws IOException {
        List<byte[]> files = new ArrayList<>();
        try (Stream<Path> paths = Files.list(folder)) {
            for (Path path : paths.sorted().toList()) {
                files.add(Files.readAllBytes(path));
            }
        }
        return files;
    }

    private static double cost(ImageDecoder decoder, List<byte[]> files, double seconds)
            throws MalformedImageException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        byte[] latest = {};
        long begun = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        int images = 0;
        while (System.nanoTime() - begun < seconds * 1e9) {
            for (byte[] file : files) {
                Field decoded = decoder.decode(file, latest);
                latest = decoded.data();
                images++;
            }
        }
        return (threads.getCurrentThreadCpuTime() - cpu) / 1e6 / images;
    }
}
