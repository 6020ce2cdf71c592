import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Copies the licence and notice files out of jars, into a folder for each jar: {@code java LicenseFiles.java FOLDER JAR...}.
 * A jar without such files gets no folder.
 */
final class LicenseFiles {
    private static final Pattern NAME =
            Pattern.compile("(?i)(.*/)?[^/]*(licen[cs]e|notice|copying|copyright)[^/]*(?<!\\.(class|java|xml|html|js))");

    /** Files of a folder with this name are licences, whatever their names are. */
    private static final Pattern FOLDER = Pattern.compile("(?i)(.*/)?licen[cs]es/.*[^/]");

    private LicenseFiles() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        List<String> jars = Arrays.asList(arguments).subList(1, arguments.length);
        for (String jar : jars) {
            if (jar.endsWith(".jar")) {
                copy(Path.of(jar), folder);
            }
        }
    }

    private static void copy(Path jar, Path folder) throws IOException {
        Path target = folder.resolve(jar.getFileName().toString().replaceFirst("\\.jar$", ""));
        try (ZipFile file = new ZipFile(jar.toFile())) {
            Enumeration<? extends ZipEntry> entries = file.entries();
            while (entries.hasMoreElements()) {
                ZipEntry entry = entries.nextElement();
                String name = entry.getName();
                if (!entry.isDirectory() && (NAME.matcher(name).matches() || FOLDER.matcher(name).matches())) {
                    Path copy = target.resolve(name.replaceFirst("^META-INF/", "")).normalize();
                    if (!copy.startsWith(target)) {
                        throw new IOException(jar + ": the entry " + name + " lies outside of the jar");
                    }
                    Files.createDirectories(copy.getParent());
                    try (InputStream in = file.getInputStream(entry)) {
                        Files.copy(in, copy);
                    }
                }
            }
        }
    }
}
