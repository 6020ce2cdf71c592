package io.millrace.dataset.coco;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.storage.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the pictures below their folder, from what programs write as {@code file_name}: with {@code ./}, with the folders of
 * Windows, or absolute. One thread uses an instance, while the file is read.
 */
final class CocoPaths {
    private static final Pattern ADDRESS = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://[^/]*/(.*)", Pattern.DOTALL);

    /** What may follow a slash without leading to another folder: more slashes, and {@code ./}. */
    private static final Pattern NO_FOLDERS = Pattern.compile("(?<=/)(\\./|/)+");

    private final Storage pictures;

    /** The folder of the pictures with a slash behind it; empty if it is not on this machine. */
    private final String folder;

    private @Nullable Boolean windows;
    private int backslashes;
    private String firstBackslash = "";
    private int addresses;
    private String firstAddress = "";

    CocoPaths(Storage pictures) {
        this.pictures = pictures;
        this.folder = pictures.local("")
                .map(path -> path.toAbsolutePath().normalize() + "/")
                .orElse("");
    }

    /** Returns the path of a picture, which may still lead out of the folder. */
    String of(String name) throws IOException {
        String path = name;
        if (path.indexOf('\\') >= 0 && isWindows(path)) {
            firstBackslash = backslashes++ == 0 ? name : firstBackslash;
            path = path.replace('\\', '/');
        }
        if (!folder.isEmpty() && path.startsWith(folder)) {
            path = path.substring(folder.length());
        }
        if (ADDRESS.matcher(path).matches()) {
            return path;
        }
        path = NO_FOLDERS.matcher(path).replaceAll("");
        return path.startsWith("./") ? path.substring(2) : path;
    }

    /** A name with a backslash is a Windows path unless a file of just this name exists. The first such name decides for all. */
    private boolean isWindows(String path) throws IOException {
        if (windows == null) {
            windows = pictures.kind(path) != Storage.Kind.FILE;
        }
        return windows;
    }

    /** Returns the path in the address of a picture without a {@code file_name}, as the files of LVIS have it; empty for no address. */
    Optional<String> ofAddress(String address) {
        Matcher matcher = ADDRESS.matcher(address);
        if (!matcher.matches() || matcher.group(1).isEmpty()) {
            return Optional.empty();
        }
        firstAddress = addresses++ == 0 ? matcher.group(1) : firstAddress;
        return Optional.of(matcher.group(1));
    }

    /** Requires that a path leads to a place below the folder of the pictures. */
    static String require(String path) throws BadSampleException {
        if (ADDRESS.matcher(path).matches()) {
            throw new BadSampleException(
                    path,
                    -1,
                    "expected a path below dataset.path as file_name, found an address; download the pictures, and replace"
                            + " the addresses in the file by their paths");
        }
        return SampleFile.requireBelow(path, path);
    }

    /** Returns sentences for the user on the names that were changed. */
    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (backslashes > 0) {
            remarks.add(backslashes + (backslashes == 1 ? " file_name has" : " file_names have")
                    + " backslashes, which are read as folders, such as " + firstBackslash);
        }
        if (addresses > 0) {
            remarks.add(addresses + (addresses == 1 ? " image has" : " images have")
                    + " no file_name; the path in coco_url is read, such as " + firstAddress);
        }
        return remarks;
    }
}
